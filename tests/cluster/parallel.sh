#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: private.sh parallel BUILD   GNU parallel does a search's parts on two hosts that ssh comes to,
# of which one goes away in the middle with all that runs on it. A host is an sshd in processes of its
# own, on a port of its own.
set -u
build=$1 private=$2
. tests/cluster/cluster.sh
for program in parallel ssh ssh-keygen; do
	command -v $program >/dev/null || refuse 3 "no $program: apt-get install parallel openssh-client"
done
mount -t tmpfs tmpfs /run || refuse 4 "no mounts here"
loopback

# ---- hosts ----

# Installed, or unpacked by private.sh.
sshd=/usr/sbin/sshd session=/usr/lib/openssh libraries=
if [ ! -x $sshd ] && [ -x "$private/unpacked$sshd" ]; then
	sshd=$private/unpacked$sshd session=$private/unpacked$session
	libraries=$(echo "$private"/unpacked/usr/lib/*-linux-gnu*)
fi
[ -x "$sshd" ] || refuse 3 "no sshd: apt-get install openssh-server"
unset SSH_AUTH_SOCK PARALLEL PARALLEL_HOME
export HOME="$private/home"
mkdir -p "$HOME/.parallel" /run/sshd && chmod 755 "$private" || exit 3
# Asked for by people only, who may be looking on.
: >"$HOME/.parallel/will-cite"
# Root as it is asked for here, and whom sshd becomes before it knows who comes.
printf '%s\n' "root:x:0:0:root:$HOME:/bin/sh" "sshd:x:64999:65534::/run/sshd:/usr/sbin/nologin" \
	"nobody:x:65534:65534::/:/usr/sbin/nologin" >"$private/passwd"
printf '%s\n' 'root:*:19000::::::' 'sshd:*:19000::::::' >"$private/shadow"
mount --bind "$private/passwd" /etc/passwd && mount --bind "$private/shadow" /etc/shadow ||
	refuse 4 "no mounts here"
for key in host user; do
	ssh-keygen -q -t ed25519 -N '' -f "$private/$key" || refuse 3 "ssh-keygen makes no key"
done
cp "$private/user.pub" "$private/authorized"
cat >"$private/sshd_config" <<-END
	ListenAddress 127.0.0.1
	HostKey $private/host
	AuthorizedKeysFile $private/authorized
	PermitRootLogin yes
	PasswordAuthentication no
	KbdInteractiveAuthentication no
	StrictModes no
	PidFile none
END
# Since OpenSSH 9.8 and 10.0 parts of it are programs of their own.
for part in Session Auth; do
	program=$session/sshd-$(echo $part | tr SA sa)
	[ ! -x "$program" ] || echo "Sshd${part}Path $program" >>"$private/sshd_config"
done
for host in one:2201 two:2202; do
	printf 'Host %s\n\tPort %s\n' ${host%:*} ${host#*:}
done >"$private/ssh_config"
cat >>"$private/ssh_config" <<-END
	Host *
	    HostName 127.0.0.1
	    User root
	    IdentityFile $private/user
	    IdentitiesOnly yes
	    UserKnownHostsFile $private/known
	    StrictHostKeyChecking accept-new
	    BatchMode yes
	    LogLevel ERROR
END
export PARALLEL_SSH="ssh -F $private/ssh_config"

# In processes of its own: when the first of them is gone, so is all that ran there.
start_host() { # name port
	env ${libraries:+"LD_LIBRARY_PATH=$libraries"} unshare --pid --fork --kill-child=KILL \
		--mount-proc "$sshd" -D -e -f "$private/sshd_config" -p "$2" 2>"$private/sshd.$1" &
}
is_there() { [ "$($PARALLEL_SSH "$1" echo hello 2>"$private/ssh.err")" = hello ]; }

start_host one 2201
start_host two 2202
two=$!
if patiently 20 is_there one && patiently 20 is_there two; then
	report 0 "two hosts are there"
else
	report 1 "two hosts are there"
	show "$private/ssh.err"
	show "$private/sshd.one"
	plan_end
fi

# ---- the search ----

# shellcheck disable=SC2086
run() { EXPLORE=$explore sh explore/parts/nodes.sh "$folder" $parts parallel "$@" -- --memory 256 $searched; }
# A host's processes are those of the namespace of its first one.
runs_on_two() {
	[ "$(readlink "/proc/$victim/ns/pid")" = "$(readlink "/proc/$(cat \
		"/proc/$two/task/$two/children" | tr -d ' ')/ns/pid")" ]
}

one_process
log=$private/joblog
run -S 1/one,1/two --joblog "$log" >"$private/all" 2>"$private/err" &
running=$!
patiently 60 records 5 && patiently 60 stop_one runs_on_two && kill -KILL $two
report $? "a host goes away while it does part ${struck:-?}"
! is_there two
report $? "nobody answers there"
wait $running
code=$?
report $code "the other host does the rest: exit code $code"
[ $code = 0 ] || show "$private/err"
awk -v part="${struck:-0}" '$1 == part + 1 { print $2, "exit code", $7 }' "$log" >"$private/out"
grep -q 'one exit code 0' "$private/out"
report $? "the part that was lost is done on the other"
show "$private/out"
same "the verdict"

# ---- faults ----

rm "$folder/part-37.json"
before=$(stat -c %Y.%i "$folder/part-36.json")
run -S 1/one,1/two --joblog "$private/second" >"$private/all" 2>"$private/err"
[ $? -eq 0 ] && [ "$(wc -l <"$private/second")" -eq 2 ] &&
	[ "$(stat -c %Y.%i "$folder/part-36.json")" = "$before" ]
report $? "a part that is gone is done again, and no other, with a host that is still away"
same "the verdict after it"
foreign 5 && ! run >"$private/all" 2>"$private/err" &&
	grep -q 'part-5.json is of another search' "$private/err"
report $? "a part of another search is refused by name"
rm "$folder/part-5.json" "$folder/part-6.json"
run >"$private/all" 2>"$private/err"
report $? "without hosts the two that are missing are done here"
same "the verdict after it"
plan_end
