#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_swarm.sh BUILD   Draws from a seed find a known fault, say how to see it again, and are the same each
# time; a sound row survives them. TAP.
. tests/support/tap.sh
build=$1
swarm="python3 -B explore/swarm.py $build"
broken=$build/explored/seed_004.page.so # of the draft that took a nested stamp for the one before

needs_explored "a swarm" "make explored-quick"
searched() { # EXIT-CODE OPTION...: of the explorer, for that object
	wanted=$1
	shift
	"$build/explore" --object "$broken" --processes 1 "$@" >"$scratch/again" 2>&1
	[ $? -eq "$wanted" ]
}

drawn() { # SEED: what its first 150 draws are
	python3 -B -c '
import sys
sys.path.insert(0, "explore")
import swarm
from types import SimpleNamespace
its = swarm.Swarm([swarm.Row("build", name, f"x/{name}.{shape}.so" if shape else None) for name, shape in (("a", ""), ("a", "page"), ("a", "ends4"),
    ("a", "timed"), ("packed_last", "wrap3"), ("a_locked", "page"), ("a_locked", "order"), ("a", "order"))], SimpleNamespace(seed=int(sys.argv[1]), minutes=2, draws=150))
assert 119 < its.end - its.start <= 120
while drawn := its.next():
    print(drawn[0], *drawn[1].command(drawn[2])[2:])' "$1"
}
drawn 7 >"$scratch/drawn" && cmp -s "$scratch/drawn" tests/data/swarm_draws.txt && [ "$(drawn 8 | sort - "$scratch/drawn" | uniq -d | wc -l)" -lt 5 ]
report $? "a seed has the draws that it had when they were written down, and another seed has others"
mkdir -p "$scratch/silent/explored" && touch "$scratch"/silent/explored/packed_word.small.so \
	"$scratch"/silent/explored/packed_word.order.so "$scratch"/silent/explored/full_tsc.page.so "$scratch"/silent/explored/seed_004.page.so
python3 -B -c '
import sys
sys.path.insert(0, "explore")
import swarm
from types import SimpleNamespace
def rows(**its):
    found = swarm.rows_of(SimpleNamespace(**{"build": sys.argv[1], "object": None, "only": None, "schemes": None, **its}))
    return " ".join(one.name + ":" * bool(one.path) for one in found)
assert rows() == "full_tsc: packed_word: full_tsc packed_word" and rows(schemes=["floor", "full_tsc"]) == "full_tsc: floor full_tsc"
assert rows(only="search") == "full_tsc: packed_word:" and rows(only="storm") == "full_tsc packed_word"
assert rows(object=["a.so"]) == rows(object=["a.so"], only="search", schemes=["floor"]) == "a.so:" and not rows(object=["a.so"], only="storm")
assert [swarm.cost(one) for one in ({"events": 2}, {"events": 3, "nested": 2}, {"events": 16, "offsets": "all", "jumps": 1})] == [0, 3, 4]
class Fake(swarm.Row):
    tries = 0
    def run(self, options, timeout_s):
        self.tries += 1
        return 2 if options["events"] > 1 and options["nested"] and options["jumps"] else timeout_s, ""
fake = Fake("build", "a", None)
assert fake.shrunk(dict(events=5, nested=2, jumps=2, clock="slow", bits=1, other=7), 0) == dict(events=2, nested=1, jumps=1, clock=None, bits=None, other=None)
assert fake.tries == 20
class Three(swarm.Row):
    runs = ""
    def run(self, options, timeout_s):
        Three.runs += self.name
        return 2 * (self.name == "a"), ""
its = swarm.Swarm([Three("build", name, None) for name in "abca"], SimpleNamespace(seed=1, minutes=1, draws=40, each=1))
its.work()
assert its.broken == ["a"] and set(Three.runs[-20:]) == set("bc"), Three.runs' "$scratch/silent"
report $? "rows are searched and stormed, or an object is searched; a draw costs what it multiplies, and is made as small as it can be"
printf '#!/bin/sh\nexit 3\n' >"$scratch/silent/explore" && chmod +x "$scratch/silent/explore"
python3 -B explore/swarm.py "$scratch/silent" 1 --only search --draws 2 >"$scratch/said"
[ $? -eq 3 ] && grep -q "no answer: 2 draws with exit code 3" "$scratch/said"
report $? "searches without an answer are told"
fake "$scratch/silent/explore" <<'END'
	while ! mkdir "$0.$((n += 1))" 2>/dev/null; do :; done
	exit "$(echo 0 0 0 0 1 4 4 124 124 | cut -d' ' -f$n)"
END
python3 -B explore/swarm.py "$scratch/silent" 1 --only search --draws 9 --each 7 | grep -qE \
	'^9 draws in [0-9]+ s: 4 kept, 0 broken, 2 took longer than 7.0 s, 3 are not possible; rows broken: none$'
report $? "draws are counted by what became of them"
rm -r "$scratch"/silent/explore.*
python3 -B explore/swarm.py "$scratch/silent" 1 --only search --draws 1 | grep -q ': 1 kept, 0 broken, 0 took longer than 20 s, 0 are not possible; '
report $? "and so is one"
shows "what it can" "usage: swarm.py BUILD SEED" $swarm --help
says "a seed that is no number" 1 "invalid int value" $swarm one
says "a row that is not known" 1 "no row is called 'gone'" $swarm 1 --schemes gone
says "nothing that is built" 4 "nothing to draw from" python3 -B explore/swarm.py "$scratch" 1 --only search
$swarm 58 --object "$broken" --draws 1 >"$scratch/first"
[ $? -eq 2 ] && grep -q "is broken by draw" "$scratch/first" && [ "$(grep -c '^    ' "$scratch/first")" -eq 14 ]
report $? "a fault of 2009 is found"
options=$(sed -n "s/^[^ ]*build[^ ]*explore --object .* --first //p" "$scratch/first")
[ -n "$options" ] && searched 2 $options
report $? "the command that is printed breaks it again: $options"
[ "$options" = "--events 2 --nested 1" ] && searched 0 --events 1 --nested 1 && searched 0 --events 2 --nested 0
report $? "and with one event or interrupt less nothing breaks"
$swarm 1 --schemes packed_word --only search --draws 12 --each 5 >"$scratch/kept" && grep -q ": [1-9][0-9]* kept, 0 broken, .*rows broken: none" "$scratch/kept"
report $? "a sound row is kept: $(tail -1 "$scratch/kept")"
# A mutant without its pinned budget, and one that changes nothing.
cases="python3 -B tests/cases/cases.py --build $build --swarm 1"
$cases --seconds 60 "$build/mutants/packed_clock_first.patch" >"$scratch/mutant" 2>&1 &&
	grep -q "^1 of 1 found; draw: median" "$scratch/mutant"
report $? "a mutant is found without its budget: $(grep -o 'draw [0-9].*' "$scratch/mutant")"
sed '/^---/,$d' "$build/mutants/packed_clock_first.patch" >"$scratch/packed_same.patch"
cat >>"$scratch/packed_same.patch" <<'END'
--- a/schemes/packed_word.h
+++ b/schemes/packed_word.h
@@ -1,1 +1,1 @@
-/* SPDX-License-Identifier: MIT */
+/* SPDX-License-Identifier: MIT, and nothing else is changed */
END
$cases --seconds 3 "$scratch/packed_same.patch" >"$scratch/mutant" 2>&1
[ $? -eq 1 ] && grep -q "NOT FOUND in [1-9][0-9]* draws" "$scratch/mutant"
report $? "one that changes nothing is not"
rm -rf "$build/cases/packed_same"
plan
