#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/report.sh writes sections of RESULTS.md, in a small tree.
# shellcheck source=tests/tap.sh
. "${0%/*}/tap.sh"
report=$PWD/tests/bench/report.sh

mkdir -p "$work/tests/bench"
cd "$work"
printf '%s:\n\t@%s\n' bench-copy 'echo 1 fast copy' \
	bench-engine 'echo 2 instructions; echo "ok 1 - no figure"' \
	bench-tls 'echo 3 handshakes; exit 1' \
	soak-net 'echo 5 networks; echo "ok 1 - no figure"' >Makefile
git init -q . && git add Makefile
git -c user.name=t -c user.email=t@localhost commit -qm tree
results=tests/bench/RESULTS.md

# sections SENTENCE TEXT: the headings and the figures, in this order
sections()
{
	got=$(grep '^##\|^[0-9] ' $results | tr '\n' ',')
	if [ "$got" = "$2" ]; then
		ok "$1"
	else
		not_ok "$1"
		echo "# $got in place of $2"
	fi
}

run sh "$report" build engine
expect 0 '' 'one benchmark can be chosen'
sections 'its figures are there, without TAP' \
	'## bench-engine,2 instructions,'
if grep -q "^Commit $(git rev-parse --short HEAD), 2.*, $(nproc) CPUs, Linux" \
	$results; then
	ok 'with the commit, the date and the machine'
else
	not_ok 'with the commit, the date and the machine'
	show $results
fi
run sh "$report" build copy
sections 'another one is added in the fixed order' \
	'## bench-copy,1 fast copy,## bench-engine,2 instructions,'
sed -i 's/2 instructions/4 instructions/' Makefile
run sh "$report" build engine
sections 'a section is replaced' \
	'## bench-copy,1 fast copy,## bench-engine,4 instructions,'
if grep -q '^Commit .*, changed, ' $results; then
	ok 'and a tree with changes is marked'
else
	not_ok 'and a tree with changes is marked'
fi
run sh "$report" build tls
expect 1 'bench-tls failed' 'a benchmark that fails is an error'
sections 'and leaves the sections as they are' \
	'## bench-copy,1 fast copy,## bench-engine,4 instructions,'
run sh "$report" build soak-net
sections 'the table of a soak comes behind them' \
	'## bench-copy,1 fast copy,## bench-engine,4 instructions,## soak-net,5 networks,'
run sh "$report" build nothing
expect 2 'no benchmark "nothing"' 'an unknown benchmark is an error'

# ---- the age ----
# commits NUMBER: that many more, which change nothing
commits()
{
	head=$(git rev-parse HEAD)
	for _ in $(seq "$1"); do
		head=$(git -c user.name=t -c user.email=t@localhost \
			commit-tree -p "$head" -m more 'HEAD^{tree}')
	done
	git reset -q --soft "$head"
}
# fresh: no section was reported
fresh()
{
	! grep -q warning "$work/err"
}
run sh "$report" build engine
check 'new sections are reported by none' fresh
commits 200
run sh "$report" build engine
check 'nor is one of 200 commits ago' fresh
commits 1
run sh "$report" build engine
expect 0 'bench-copy are of ' 'one of 201 commits ago is'
expect 0 '201 commits ago (200 at most): make bench-report ONLY=copy' \
	'with the command for a new one'
sed -i '0,/^Commit/s/^Commit [0-9a-f]*/Commit 123456789abc/' $results
run sh "$report" build engine
expect 0 'of 123456789abc, which HEAD does not have' \
	'so is one of a commit that is not there'
sed -i '0,/^Commit/s/^Commit.*/Figures:/' $results
run sh "$report" build engine
expect 0 'bench-copy are of no commit' 'and one that names none'
finish
