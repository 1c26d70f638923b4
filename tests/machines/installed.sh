#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: installed.sh ./PACKAGE.deb   As root, on a Debian that may be thrown away (distro.sh): installs the package,
# runs its programs and compiles its headers as an ordinary user, and removes it.
set -eu
exec 2>&1
apt-get -qq update >/dev/null
find / -xdev -path '/usr/*' -type f | grep -i stampede && echo "something of it is there before" && exit 1
apt-get -qq install -y "$1" >/dev/null
apt-get -qq install -y cmake pkg-config babeltrace2 g++ >/dev/null
useradd -m tracer
echo "== as an ordinary user"
cat >/home/tracer/hello.c <<'TEXT'
#include <stampede/packed_word_trace.h>
#define WORK(F) F(u64, number) F(string, path)
PACKED_WORD_EVENT(work, 1, WORK);
int main(void)
{
	struct packed_word_event_type types[] = { work_type };
	struct packed_word_trace_options options = { .folder = "trace", .types = types, .type_count = 1 };
	int i, bad = packed_word_trace_start(&options);

	for (i = 0; i < 1000; i++)
		bad |= work_write(packed_word_here(), (uint64_t)i, "/etc/passwd");
	return bad | packed_word_trace_stop();
}
TEXT
cat >/home/tracer/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.20)
project(hello C)
find_package(stampede REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello stampede::stampede)
TEXT
cp -r extras/install/debian/tests/taken /home/tracer/
chmod -R a+rX /home/tracer
# Its files are root's: what a program writes there would fail.
su tracer -s /bin/sh -c '
set -eu
cd
ran=0
stampede bench --quick --schemes "full_tsc packed_word" >bench.out 2>&1 || ran=$?
[ $ran = 0 ] || [ $ran = 7 ] || { tail -5 bench.out; exit 1; }
[ -s .local/share/stampede/results/latest/bench.json ] && [ -s .local/share/stampede/results/latest/report.html ]
AUTOPKGTEST_TMP=$PWD sh taken >/dev/null
cc -Wall -Wextra -Werror hello.c $(pkg-config --cflags --libs stampede) -o hello
cmake -S . -B built >/dev/null && cmake --build built >/dev/null
for program in ./hello built/hello; do
	rm -rf trace && $program && [ "$(babeltrace2 trace | grep -c " work: ")" = 1000 ]
done
man -w stampede-bench >/dev/null 2>&1 || [ -e /usr/share/man/man1/stampede-bench.1.gz ]
'
find /usr/share/stampede /usr/lib/stampede /usr/include/stampede -newer "$1" ! -uid 0 | grep . && exit 1
echo "== removed"
apt-get -qq purge -y stampede >/dev/null
if find / -xdev -path '/usr/*' -name '*stampede*' | grep .; then exit 1; fi
command -v stampede && exit 1
echo "fine"
