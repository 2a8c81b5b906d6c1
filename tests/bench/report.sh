#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs benchmarks and writes what they print to tests/bench/RESULTS.md:
#
#	report.sh BUILD [NAME...]
#
# NAME is the NAME of make bench-NAME, or soak-net, which prints a table, too.  The
# sections of other benchmarks stay, and so does the old section of a benchmark
# that fails.  Those of a commit that is too old, or is none of HEAD's, are
# reported.
set -u

dir=$1
shift
all='boot drivers copy connect tls engine fleet storm tune link clone distance'
all="$all toram profile lwip dropin uefi uefi-tls verity soak-net"
# shellcheck disable=SC2086 # words on purpose
[ $# -gt 0 ] || set -- $all
results=tests/bench/RESULTS.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- . ":(exclude)$results" || commit="$commit, changed"
cpu=$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)

# target NAME: of make
target()
{
	case $1 in
	soak-*) echo "$1" ;;
	*) echo "bench-$1" ;;
	esac
}

# old NAME: its section in the results, without the heading
old()
{
	awk -v name="## $(target "$1")" '/^## / { inside = $0 == name; next }
		inside' "$results" 2>/dev/null
}

# new NAME: the section of what $work/out holds: without TAP, what make built,
# and the lines of single machines
new()
{
	echo
	echo "Commit $commit, $(date +%F), ${cpu:-unknown CPU}, $(nproc) CPUs," \
		"Linux $(uname -r):"
	echo
	echo '```'
	echo "\$ make $(target "$1")${ROUNDS:+ ROUNDS=$ROUNDS}"
	sed -e '/^ok /d; /^1\.\./d; /^  [A-Z]* /d; /^# machine /d' \
		-e 's/^# //' "$work/out"
	echo '```'
	echo
}

# A section says little about a program that has had as many commits since.
most=200

# stale NAME TEXT...: reports a section whose figures are of another program
stale()
{
	stale_name=$1
	shift
	echo "report: warning: the figures of $(target "$stale_name") are $*:" \
		"make bench-report ONLY=$stale_name" >&2
}

# check_age NAME: of its section in the results
check_age()
{
	of=$(sed -n "/^## $(target "$1")\$/,/^## /s/^Commit \([0-9a-f]*\).*/\1/p" \
		"$results" | head -n 1)
	if [ ! "$of" ]; then
		stale "$1" 'of no commit'
	elif ! git merge-base --is-ancestor "$of" HEAD 2>/dev/null; then
		stale "$1" "of $of, which HEAD does not have"
	else
		age=$(git rev-list --count "$of..HEAD")
		[ "$age" -le "$most" ] ||
			stale "$1" "of $of, $age commits ago ($most at most)"
	fi
}

for name; do
	case " $all " in
	*" $name "*) ;;
	*)
		echo "report: no benchmark \"$name\" (there are: $all)" >&2
		exit 2
		;;
	esac
	echo "report: make $(target "$name")" >&2
	if make -s --no-print-directory O="$dir" "$(target "$name")" >"$work/out"
	then
		new "$name" >"$work/$name"
	else
		cat "$work/out" >&2
		echo "report: make $(target "$name") failed" >&2
		status=1
	fi
done

{
	cat <<'END'
# Results

Written by `make bench-report`, which runs all benchmarks, or by
`make bench-report ONLY='NAME...'`, which replaces the sections that are named.
Each benchmark runs both sides in turns on one machine.  Compare figures of one
section only: the sections may be of different machines and commits.

END
	for name in $all; do
		[ -e "$work/$name" ] || old "$name" >"$work/$name"
		[ ! -s "$work/$name" ] || {
			echo "## $(target "$name")"
			cat "$work/$name"
			echo
		}
	done
} | cat -s >"$work/results"
sed '${/^$/d}' "$work/results" >"$results"
for name in $all; do
	! grep -qx "## $(target "$name")" "$results" || check_age "$name"
done
exit $status
