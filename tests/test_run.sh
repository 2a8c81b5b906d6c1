#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh counts what passed, failed and was skipped, in a small tree.
# shellcheck source=tests/tap.sh
. "${0%/*}/tap.sh"
runner=$PWD/tests/run.sh
ci=$PWD/.ci/run
twice=$PWD/tests/twice.sh
changed=$PWD/tests/changed.sh
rooms=$PWD/tests/rooms.txt

# Words of the table that are neither lists nor steps.
unknown=$(sed '/^#/d; s/^[^	]* = //; s/^[^	]*	//' "$rooms" | xargs -n 1 |
	grep -vxF -e all -e same -e "$(sed -n 's/ = .*//p' "$rooms")" |
	sed 's/\*/.*/' | sort -u | while read -r word; do
		sh "$runner" "$O" names | grep -qx "$word" || echo "$word"
	done)
check 'each word of rooms.txt is a step' [ ! "$unknown" ]
[ ! "$unknown" ] || echo "# $unknown"

# Steps that no path of the product or of what tests share leads to.
sed '/^#/d; s/^[^	]* = //; s/^[^	]*	//' "$rooms" | xargs -n 1 |
	sed 's/\*/.*/' | sort -u >"$work/words"
lost=$(sh "$runner" "$O" names | grep -vx -e product -f "$work/words" || true)
check 'each step is that of some path in rooms.txt' [ ! "$lost" ]
[ ! "$lost" ] || printf '%s\n' "$lost" | sed 's/^/# /'

# What no check runs is lost without a target.
without=$(for script in tests/vm/soak_*.sh; do
	[ "$(grep -c "\$(vm) $script" tests/vm/build.mk)" = 1 ] || echo "$script"
done)
check 'each soak script has one target of make' [ ! "$without" ]
[ ! "$without" ] || echo "# $without"

# needs PATH STEP...: a change of PATH needs these, and no others of machines
needs()
{
	got=$(sh "$changed" -p "$1" | grep '^vm-\|^all$' | paste -s -d ' ')
	[ "$got" = "$2" ] || {
		echo "# $1 needs $got"
		return 1
	}
}
check 'what a path changes is seen by the machines that have it' \
	needs boot/trace/nbdtop 'vm-test_latency vm-test_state'
check 'a script needs itself' needs tests/vm/test_udev.sh vm-test_udev
check 'a path of no room needs all' needs core/engine.c all
check 'so does a file of all scripts' needs tests/tap.sh all
check 'and the name of a directory is no prefix of another' \
	needs boot/reroots/a.c all

mkdir -p "$work/tests/interop"
cd "$work"
printf 'all:\n' >Makefile
unset T CI

# script NAME TEXT: a step that prints TEXT
script()
{
	printf '%s\n' "cat <<'END'" "$2" END >"tests/interop/test_$1.sh"
}

# closes STATUS LINE SENTENCE: run.sh ended so
closes()
{
	if [ "$status" = "$1" ] && [ "$(tail -n 1 "$work/out")" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		echo "# status $status in place of $1, wanted: $2"
		show "$work/out"
		show "$work/err"
	fi
}

a=interop/test_a.sh
b=interop/test_b.sh
script a 'ok - one
ok 2 - two'
script b 'ok - three'
run sh "$runner" build "$a" "$b"
closes 0 '3 passed, 0 failed' 'the last line has what passed'
T='test_b$' run sh "$runner" build "$a" "$b"
closes 0 '1 passed, 0 failed' 'T runs the steps whose names match'
T='test_[ab]$' run sh "$runner" build quick
closes 0 '3 passed, 0 failed' 'two lanes run each step once'
T=nothing run sh "$runner" build "$a" "$b"
closes 1 '0 passed, 0 failed' 'T that matches no step is a failure'

script b 'not ok - three'
run sh "$runner" build "$a" "$b"
closes 1 '2 passed, 1 failed' 'a failed check is a failure'
script b ''
run sh "$runner" build "$a" "$b"
closes 1 '2 passed, 1 failed' 'a step without a result is a failure'
echo 'echo ok - three; exit 3' >tests/$b
run sh "$runner" build "$a" "$b"
closes 1 '3 passed, 1 failed' 'a step that ends with an error is a failure'

script b 'ok - three # SKIP no such device'
run sh "$runner" build "$a" "$b"
closes 0 '2 passed, 0 failed, 1 skipped' 'a skipped check is counted apart'
CI=true run sh "$runner" build "$a" "$b"
closes 1 '2 passed, 1 failed' 'with CI=true a skipped check is a failure'
script b 'ok - three # SKIP allowed: no such device'
CI=true run sh "$runner" build "$a" "$b"
closes 0 '2 passed, 0 failed, 1 skipped' \
	'with CI=true a script may allow a skip by name'
run sh "$runner" build "$b"
closes 1 '0 passed, 0 failed, 1 skipped' 'a run that only skips is a failure'

# ---- what changed ----
script b 'ok - three'
git init -q . && printf '%s\n' build out err loops passed >.gitignore
commit='git -c user.name=t -c user.email=t@localhost commit -qm'
git add -A && $commit tree
CHANGED=HEAD run sh "$runner" build "$a" "$b"
expect 0 'nothing has changed since HEAD' 'without a change CHANGED runs nothing'
script b 'ok - three
ok - four'
CHANGED=HEAD run sh "$runner" build "$a" "$b"
closes 0 '2 passed, 0 failed' 'CHANGED runs the steps of what changed'
git add -A && $commit change
CHANGED=HEAD~1 run sh "$runner" build "$a" "$b"
closes 0 '2 passed, 0 failed' 'a commit is a change, too'
touch new
CHANGED=HEAD run sh "$runner" build "$a" "$b"
closes 0 '4 passed, 0 failed' 'a new file of no room needs all steps'
T='test_a$' CHANGED=HEAD run sh "$runner" build "$a" "$b"
closes 0 '2 passed, 0 failed' 'and T chooses among them'
rm new
rm "tests/$b"
CHANGED=HEAD run sh "$runner" build "$a"
closes 1 '0 passed, 0 failed' 'a file that is gone is a change'
git checkout -q "tests/$b"
CHANGED=nothing run sh "$runner" build "$a"
expect 2 'nothing is no commit' 'CHANGED that is no commit is an error'

# ---- alone ----
cat >"tests/$b" <<'END'
links=$(ip -o link show up | wc -l)
[ "$links:$(ip -o link | wc -l)" = 1:1 ] && echo 'ok - three'
END
if unshare -n true 2>/dev/null; then
	run sh "$runner" build "$b"
	closes 0 '1 passed, 0 failed' 'a script has the loopback for itself'
else
	ok 'a script has the loopback for itself # SKIP allowed: not root'
fi
git checkout -q "tests/$b"

# ---- twice under load ----
# The numbers of loops that look for a process which is not there any more.
loops_left()
{
	while read -r _ pid; do
		! runs "$pid" || echo "$pid"
	done <loops
}
# A step that passes once, and notes the loops: children of its grandparent.
cat >"tests/$b" <<'END'
pid=$$
until tr '\0' ' ' </proc/$pid/cmdline | grep -q 'twice\.sh'; do
	pid=$(sed -n 's/^PPid:.//p' /proc/$pid/status)
done
for loop in $(cat /proc/$pid/task/$pid/children); do
	grep -qs 'while \[' "/proc/$loop/cmdline" && echo "loop $loop"
done >>loops
[ ! -e passed ] || { echo 'not ok - three'; exit; }
touch passed
echo 'ok - three'
END
run sh "$twice" build "$a" "$b"
expect 1 'in one run of two: - three' 'twice.sh names what failed once'
check 'three loops ran in both runs' [ "$(grep -c loop loops)" = 6 ]
check 'and have ended' [ ! "$(loops_left)" ]
rm loops passed
# It is killed, and cannot end its loops.
# shellcheck disable=SC2016 # for the script
echo 'kill -9 "$pid"' >>"tests/$b"
sh "$twice" build "$b" >out 2>&1 || :
until [ ! "$(loops_left)" ] && grep -q '^[0-9]* passed' build/twice/1; do :; done
ok 'so they do if twice.sh is killed'
rm -f loops passed
git checkout -q "tests/$b"

# ---- what a script leaves ----
# A daemon that no list of servers has, and that ends by no signal but one.
cat >leaver <<'END'
. "$1"
sh -c 'trap "" TERM HUP; echo $$ >"$0"; exec sleep 1000' "$2" &
until [ -s "$2" ]; do :; done
finish
END
check 'a script that leaves a process passes' sh leaver "${runner%/*}/tap.sh" left
until ! grep -qsz '^TAP_WORK=' "/proc/$(cat left)/environ"; do :; done
ok 'and the process ends with it'

# ---- the order ----
for s in a b; do
	echo "echo $s >>'$work/order'; echo ok - $s" >"tests/interop/test_$s.sh"
done
# One processor has one lane, and more after 3 s.
ordered()
{
	: >"$work/order"
	T='test_[ab]$' run taskset -c "$(taskset -cp $$ |
		sed 's/.*: \([0-9]*\).*/\1/')" sh "$runner" build quick
	[ "$status" = 0 ] && [ "$(paste -s -d ' ' "$work/order")" = "$1" ]
}
echo 'interop-test_b 200 200' >tests/times.txt
rm -f build/times
check 'what took longest before is first, by times.txt' ordered 'b a'
printf '%s\n' 'interop-test_a 300 300' >build/times
check 'and by the times of the last run, which need not have all' \
	ordered 'a b'

# ---- compiling while packages come ----
printf '%%:\n\t@echo $@ >>made\n' >Makefile
sleep 999 &
packages=$!
sh "$runner" build ahead "$packages"
kill "$packages"
wait "$packages" 2>/dev/null || :
check 'ahead compiles for several steps' [ "$(paste -s -d ' ' made)" = \
	'all unit-bin nbdboot_defconfig' ]
rm made
sh "$runner" build ahead "$packages"
check 'and nothing when the packages are there' [ ! -e made ]

# ---- ports ----

# Prints ports of several scripts that ask at the same time.
ports_of_many()
{
	for _ in 1 2 3 4 5 6 7 8; do
		(for _ in 1 2 3 4 5; do free_port; done) >>"$work/ports" &
	done
	wait
	sort -n "$work/ports"
}
ports=$(ports_of_many)
check 'scripts side by side get ports of their own' \
	[ "$(echo "$ports" | uniq | wc -l)" = 40 ]
read -r low high <<END
$(cat /proc/sys/net/ipv4/ip_local_port_range)
END
check 'the kernel gives none of them to a connection' \
	[ "$(echo "$ports" | awk "\$1 < $low || \$1 > $high" | wc -l)" = 40 ]

# ---- the whole ----
mkdir -p .ci tests && cp "$ci" .ci && : >tests/deps.sh
# shellcheck disable=SC2016 # make expands it
printf 'deps:\n\ncheck:\n\t@echo "ok $(T)$(CHANGED)."\n' >Makefile
T=x CHANGED=HEAD run bash .ci/run
expect 0 'ok .' '.ci/run runs all steps, whatever the environment says'

finish
