#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the unit tests under gcov: coverage.sh BUILD
#
# Prints which share of the lines ran, and of the branches was taken, for each
# source and each directory, the least covered ones first, and in all.  The
# simulations and the scripts do not count.
set -u

dir=$1/t/coverage
log=$1/log/coverage.log
unset MAKEFLAGS MFLAGS MAKEOVERRIDES O CC CFLAGS STATIC V ARCH
mkdir -p "$1/log"

# What earlier runs have counted.
find "$dir" -name '*.gcda' -delete 2>/dev/null
make -s -j2 O="$dir" CC=gcc CFLAGS='--coverage -O0' STATIC= HARDEN= unit \
	>"$log" 2>&1
rc=$?
grep -q '^ok' "$log" || {
	tail -n 20 "$log"
	exit 1
}

# One line for a source: its path, lines that ran, all lines, branches taken,
# all branches.
numbers()
{
	find "$dir/core" "$dir/port" "$dir/boot" -name '*.gcno' |
		while read -r notes; do
		gcov -n -b "$notes" 2>/dev/null | awk -v wanted="$notes" \
			-v dir="$dir/" '
		BEGIN {
			sub(/gcno$/, "c", wanted)
			wanted = substr(wanted, length(dir) + 1)
		}
		function ran() {
			sub(/.*:/, "", $2)
			return $2 / 100 * $NF
		}
		/^File/ { here = $0 == "File \047" wanted "\047" }
		!here { next }
		/^Lines executed:/ { lines = $NF; line = ran() }
		/^Taken at least once:/ {
			branches = $NF
			sub(/.*:/, "", $4)
			branch = $4 / 100 * $NF
		}
		END {
			if (lines)
				printf "%s %.0f %d %.0f %d\n", wanted, line, \
					lines, branch, branches
		}'
	done
}

numbers | awk '
	function add(name, kind) {
		kinds[name] = kind
		for (i = 2; i <= 5; i++)
			sum[name, i] += $i
	}
	function share(part, all) {
		return all ? 100 * part / all : 100
	}
	{
		add($1, 1)
		sub(/\/[^\/]*$/, "", $1)
		add($1 "/", 2)
		add("all", 3)
	}
	END {
		for (name in kinds)
			printf "%d %-32s %6.1f %% of %5d %6.1f %% of %5d\n", \
				kinds[name], name, \
				share(sum[name, 2], sum[name, 3]), \
				sum[name, 3], \
				share(sum[name, 4], sum[name, 5]), sum[name, 5]
	}' | sort -k1,1n -k3,3n -k2,2 | awk '
	BEGIN { printf "%-32s %17s %17s\n", "", "lines", "branches" }
	$1 != kind && kind { print "" }
	{ kind = $1; print substr($0, 3) }'

failed=$(grep -c '^not ok' "$log")
[ "$failed" = 0 ] || echo "$failed tests failed: see $log"
exit $rc
