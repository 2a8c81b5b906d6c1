#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the checks twice while three busy loops take the processors, as proof
# that no check is judged by the clock: twice.sh BUILD all|quick|STEP...
#
# T and CHANGED choose steps, as for run.sh.  The status is that of both runs, and
# the last lines name the checks that failed in one of them alone.  A loop ends
# with this script, however that ends: it looks for its process in /proc.
# shellcheck disable=SC2317 # a trap calls it
set -u
runner=${0%/*}/run.sh
log=$1/twice
mkdir -p "$log"
loops=

stop_loops()
{
	for pid in $loops; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	loops=
}
trap stop_loops EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

for _ in 1 2 3; do
	sh -c "while [ -e /proc/$$ ]; do :; done" &
	loops="$loops $!"
done
status=0
for round in 1 2; do
	echo "---- run $round of 2, under load ----"
	# in the background, so that a signal ends the wait for it
	sh "$runner" "$@" >"$log/$round" 2>&1 &
	wait $! || status=1
	cat "$log/$round"
	(cd "$1/log" && grep -h '^not ok' ./*.log 2>/dev/null) |
		sed 's/^not ok [0-9]* *//' | sort >"$log/$round.failed"
done
comm -3 "$log/1.failed" "$log/2.failed" | tr -d '\t' |
	sed 's/^/in one run of two: /'
exit $status
