#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Instructions of the engine for each read of 4 KiB: engine.sh BUILD
#
# callgrind counts, so that two runs give the same result on any load.  The work
# of the caller, which makes and copies the stream, is left out.
set -eu

dir=$1
program=$dir/tests/bench/engine
few=2000 many=12000
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# count KIND READS: instructions within core/, all calls
count()
{
	valgrind --tool=callgrind --callgrind-out-file="$out" \
		"$program" "$1" "$2" >/dev/null 2>&1
	callgrind_annotate --auto=no --threshold=100 "$out" | awk '
		/ [^ ]*core\/[a-z]+\.[ch]:/ { gsub(",", "", $1); sum += $1 }
		END { print sum + 0 }'
}

printf '%-12s %18s %18s\n' replies 'instructions/read' 'windows/read'
for kind in simple structured extended; do
	a=$(count "$kind" $few)
	b=$(count "$kind" $many)
	windows=$("$program" "$kind" $many)
	[ "$b" -gt "$a" ]
	printf '%-12s %18d %18s\n' "$kind" $(((b - a) / (many - few))) \
		"$windows"
done
