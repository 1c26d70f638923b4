#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_own.sh BUILD   What is known of a writer's own stack (explore/stops/own.py): by the
# registers that point there before each `nop` of a few instructions. TAP.
. tests/support/tap.sh

# known NAME REGISTERS... < assembly: those of each nop, joined by commas; "-" is none. It is
# entered at `outside` and where nothing leads to.
known() {
	name=$1
	shift
	got=$(python3 -B -c '
import sys
sys.path.insert(0, "explore/stops")
import own
code = []
for line in sys.stdin:
    text = " ".join(line.split())
    kind = "label" if text[-1] == ":" else "directive" if text[0] == "." else "code"
    code.append((kind, text.rstrip(":")))
def parse(text):
    mnemonic, _, rest = text.partition(" ")
    return mnemonic, rest.split(", ") if rest else []
masks = own.own_pointers(code, parse, {"outside"})
print(*[",".join(n for n in own.BIT if own.BIT[n] & mask) or "-"
        for mask, (_, text) in zip(masks, code) if text == "nop"])' 2>&1)
	[ "$got" = "$*" ]
	report $? "$name"
	[ "$got" = "$*" ] || echo "# $got instead of $*"
}

known "pointers into the frame, their copies, and what overwrites them" rax,rcx - <<'END'
f:
leaq 8(%rsp), %rax
movq %rax, %rcx
nop
movl $1, %eax
movq (%rdi), %rcx
nop
ret
END

known "what a callee is given by all that call it, by one of two, by others" rsi rdi - <<'END'
outside:
leaq (%rsp), %rdi
movq %rdi, %rsi
call both
movq (%rbx), %rdi
leaq (%rsp), %rsi
call both
movq (%rbx), %rsi
leaq (%rsp), %rdi
call once
leaq (%rsp), %rdi
call named
ret
both:
nop
ret
once:
nop
ret
named:
nop
ret
.quad named
END

known "nothing where control comes from elsewhere" - <<'END'
f:
leaq (%rsp), %rdi
outside:
nop
ret
END

known "what is so on both ways that lead here" rbx <<'END'
f:
movq %rsp, %rbx
leaq 8(%rsp), %rcx
testq %rdi, %rdi
je .L1
movq (%rdi), %rcx
.L1:
nop
ret
END

known "a call keeps what it has to" rbx <<'END'
f:
leaq 8(%rsp), %rbx
movq %rbx, %rcx
call elsewhere
nop
ret
END

known "put into the frame and taken again, at another depth" rbx,rdi,rbp rdi,rbp,r12 <<'END'
outside:
leaq (%rsp), %rdi
subq $8, %rsp
call f
addq $8, %rsp
leaq (%rsp), %rdi
call f
ret
f:
pushq %rdi
subq $32, %rsp
movq 32(%rsp), %rbx
movq %rsp, %rbp
nop
addq $32, %rsp
movl $0, %ebx
popq %r12
nop
ret
END

known "not from an object that others have a pointer to" rbx - - <<'END'
f:
movq %rsp, %rbx
subq $32, %rsp
movq %rbx, 8(%rsp)
movq %rbx, 24(%rsp)
leaq 16(%rsp), %rdi
call elsewhere
movl $0, %ebx
movq 8(%rsp), %rbx
nop
movl $0, %ebx
nop
movq 24(%rsp), %rbx
nop
ret
END

known "nor where a pointer that was moved on may lead" - <<'END'
f:
movq %rsp, %rbx
subq $32, %rsp
movq %rbx, 8(%rsp)
pushq %rax
movq %rsp, %rdi
addq $16, %rdi
call elsewhere
movq 16(%rsp), %rbx
nop
ret
END

known "nor where one leads that was made from another" - <<'END'
f:
movq %rsp, %rbx
subq $32, %rsp
movq %rbx, 8(%rsp)
leaq -64(%rbx), %rdi
call elsewhere
movl $0, %ebx
movq 8(%rsp), %rbx
nop
ret
END

known "not after a store by an index, or below a pointer" - - - <<'END'
f:
leaq 8(%rsp), %rbx
subq $32, %rsp
movq %rbx, 8(%rsp)
movq %rax, (%rsp,%rcx,8)
movq 8(%rsp), %rdx
movl $0, %ebx
nop
ret
g:
leaq 8(%rsp), %rbx
subq $32, %rsp
movq %rbx, 8(%rsp)
movq %rax, -32(%rbx)
movl $0, %ebx
movq 8(%rsp), %rdx
nop
ret
h:
leaq 8(%rsp), %rbx
subq $32, %rsp
movq %rbx, 8(%rsp)
xaddq %rax, -32(%rbx)
movl $0, %ebx
movq 8(%rsp), %rdx
nop
ret
END

known "not where something else was stored, be it in part" - - <<'END'
f:
movq %rsp, %rbx
subq $32, %rsp
movq %rbx, 8(%rsp)
movb $0, 15(%rsp)
movq 8(%rsp), %rbx
nop
leaq 40(%rsp), %rbx
movq %rbx, 8(%rsp)
movl $0, %ebx
xchgq 8(%rsp), %rax
movq 8(%rsp), %rcx
nop
ret
END

known "nor from what was given back, or may be in an object by half" - - <<'END'
f:
leaq 8(%rsp), %rbx
pushq %rbx
addq $8, %rsp
subq $8, %rsp
movq (%rsp), %rcx
movl $0, %ebx
nop
ret
g:
leaq 8(%rsp), %rbx
subq $32, %rsp
movq %rbx, 8(%rsp)
leaq 12(%rsp), %rdi
call elsewhere
movq 8(%rsp), %rbx
nop
ret
END

known "nothing after an instruction that is not known" - <<'END'
f:
leaq (%rsp), %rbx
frobnicate %rax
nop
ret
END
plan
