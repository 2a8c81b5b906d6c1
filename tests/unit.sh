#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs unit test programs and prints TAP: unit.sh BUILD PROGRAM...
# A program that dies, hangs or tests nothing is a failure too.
set -u

dir=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export CMOCKA_MESSAGE_OUTPUT=TAP
export UBSAN_OPTIONS=print_stacktrace=1
status=0

for program; do
	name=${program#"$dir"/tests/}
	timeout -k 5 900 "$program" >"$log" 2>&1
	rc=$?
	# cmocka has two ways to say that a test was skipped; none is a pass
	awk -v name="$name" -v rc="$rc" '
	/^1\.\.[0-9]+$/ { plan += substr($0, 4); next } # one for each group
	/^(not )?ok .*# *SKIP/ {
		sub(/^(not )?ok [0-9]+ */, "")
		print "not ok - " name ": skipped:", $0
		seen++; bad++; next
	}
	/^ok [0-9]+ - / { sub(/^ok [0-9]+ - /, ""); gsub(/_/, " ")
		print "ok - " name ": " $0; seen++; next }
	/^not ok [0-9]+ - / { sub(/^not ok [0-9]+ - /, ""); gsub(/_/, " ")
		print "not ok - " name ": " $0; seen++; bad++; next }
	!/^# (ok|not ok) - [^:]*$/ { print "# " $0 }
	END {
		if (seen == 0 || seen != plan)
			print "not ok - " name ": ended with status " rc \
			      " after " seen + 0 " of " plan + 0 " tests"
		else if (rc && !bad)
			print "not ok - " name ": ended with status " rc
		exit rc || bad || !seen || seen != plan
	}' "$log" || status=1
done
exit $status
