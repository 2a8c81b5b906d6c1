#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh counts what passed, failed and was skipped, in a small tree.
# shellcheck source=tests/tap.sh
. "${0%/*}/tap.sh"
runner=$PWD/tests/run.sh

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

finish
