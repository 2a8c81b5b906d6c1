#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Puts the faults of mutations.txt into the product, one at a time in a clone of
# HEAD, and prints which check finds each: mutations.sh BUILD [PATTERN]
#
# PATTERN chooses lines of the table.  The checks are, until one fails: the unit
# tests of the file's name, those of its room, and the steps that a change of the
# file needs (changed.sh), the quickest first.  STEPS is a pattern of the steps
# that may run, by default all; with STEPS= unit tests alone run.
set -eu

here=$(cd "${0%/*}" && pwd)
dir=$1
pattern=${2-}
mkdir -p "$dir/t/mutations"
work=$(cd "$dir/t/mutations" && pwd)
build=$(cd "$dir" && pwd)
tree=$work/tree
unit=$tree/build/t/unit
steps=${STEPS-.}
status=0
unset T CHANGED STEPS MAKEFLAGS MFLAGS MAKEOVERRIDES O CC CFLAGS STATIC V ARCH

rm -rf "$tree"
git clone -q "$here/.." "$tree"
mkdir "$tree/build"
for source in mbedtls lwip; do
	[ ! -d "$build/$source" ] || ln -s "$build/$source" "$tree/build/"
done
cd "$tree"

programs()
{
	make -s -j2 O="$unit" CC=gcc CFLAGS=-O1 STATIC= "$@" >"$work/log" 2>&1
}

# units SOURCE...: do the programs of these tests pass?  They must build.
units()
{
	bin=$(printf "$unit/%s\n" "$@" | sed 's/\.c$//')
	# shellcheck disable=SC2086 # words on purpose
	programs $bin && sh tests/unit.sh "$unit" $bin >"$work/log" 2>&1
}

# The tests of the room of file $1, whose names begin with $2.  Those of another
# configuration are not built: their steps run them.
tests_of()
{
	room=${1%/*}
	case $room in
	port/*) room=port ;;
	esac
	for source in "tests/$room/test_$2"*.c; do
		[ ! -x "$unit/${source%.c}" ] || echo "$source"
	done
}

# The names of the steps that file $1 needs, the quickest first.
steps_of()
{
	sh tests/changed.sh -p "$1" | sed 's/\*/.*/; s/^all$/.*/' \
		>"$work/needed"
	sh tests/run.sh build names | grep -xE -f "$work/needed" |
		grep -E -e "$steps" | awk '
		FILENAME != "-" { took[$1] = $2; next }
		{ print $1 in took ? took[$1] : 50, $1 }' tests/times.txt - |
		sort -n -s -k 1,1 | cut -d ' ' -f 2
}

# found FILE: prints the first check that fails
found()
{
	base=${1##*/}
	for name in "${base%.c}" ''; do
		# shellcheck disable=SC2046 # words on purpose
		set -- "$1" $(tests_of "$1" "$name")
		[ $# -gt 1 ] || continue
		file=$1
		shift
		units "$@" || {
			sed -n 's/^not ok - //p' "$work/log" | sed 1q |
				grep . || echo 'the build of the tests'
			return
		}
		set -- "$file"
	done
	[ "$steps" ] || return 0
	for step in $(steps_of "$1"); do
		T="^$step\$" sh tests/run.sh build all >"$work/log" 2>&1 || {
			echo "$step"
			return
		}
	done
}

programs unit-bin || {
	cat "$work/log"
	exit 1
}
grep -E -e "$pattern" "$here/mutations.txt" | grep -v '^#' >"$work/table"
tab=$(printf '\t')
while IFS=$tab read -r file rule text; do
	[ -e "$file" ] || {
		echo "not ok - $file: $text: there is no such file" && status=1
		continue
	}
	cp "$file" "$work/kept"
	sed "$rule" "$work/kept" >"$file"
	lines=$(diff "$work/kept" "$file" | grep -c '^>') || :
	if [ "$lines" = 1 ]; then
		by=$(found "$file")
	else
		by="# the rule changes $lines lines in place of one"
	fi
	case $by in
	'') echo "not ok - not found: $file: $text" && status=1 ;;
	'#'*) echo "not ok - $file: $text ${by#'#'}" && status=1 ;;
	*) echo "ok - $file: $text: found by $by" ;;
	esac
	cp "$work/kept" "$file"
done <"$work/table"
rm -rf "$tree"
exit $status
