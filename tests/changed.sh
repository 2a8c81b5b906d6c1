#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the steps that changed paths need, by rooms.txt beside it, a line each:
#
#	changed.sh REF			what the work tree changed since it left REF
#	changed.sh -p PATH...		these paths
#
# "all" is every step.  A step may be a pattern of the shell.
set -eu
table=${0%/*}/rooms.txt

# The paths that differ, new files among them; both names of a file that moved.
paths()
{
	base=$(git merge-base "$1" HEAD) || {
		echo "${0##*/}: $1 is no commit with a common ancestor" >&2
		return 1
	}
	git diff --name-only --no-renames "$base" -- &&
		git ls-files -o --exclude-standard
}

if [ "${1-}" = -p ]; then
	shift
	changed=$(printf '%s\n' "$@")
else
	changed=$(paths "$1")
fi

# The words of a path, with the names of lists replaced.  A list may have others
# that the table names above it, and its own name for a step.
printf '%s\n' "$changed" | awk '
	FILENAME != "-" && (/^#/ || !NF) { next }
	FILENAME != "-" && $2 == "=" {
		words = ""
		for (i = 3; i <= NF; i++)
			words = words " " ($i in list ? list[$i] : $i)
		list[$1] = words
		next
	}
	FILENAME != "-" {
		pattern[++n] = "^" regular($1) "$"
		needs[n] = ""
		for (i = 2; i <= NF; i++)
			needs[n] = needs[n] " " ($i in list ? list[$i] : $i)
		next
	}
	# of a pattern of the shell
	function regular(s)
	{
		gsub(/\./, "\\.", s)
		gsub(/\*/, ".*", s)
		return s
	}
	function same(path)
	{
		sub(/^tests\//, "", path)
		sub(/\.sh$/, "", path)
		gsub(/\//, "-", path)
		return path
	}
	$0 != "" {
		for (i = 1; i <= n && $0 !~ pattern[i]; i++)
			;
		k = split(i > n ? "all" : needs[i], w, " ")
		for (j = 1; j <= k; j++)
			print w[j] == "same" ? same($0) : w[j]
	}' "$table" - | sort -u
