#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures how long 4 connections take, beside nbd-client on the same server in
# the same machine.  ROUNDS of each in turns (default 20).
# A thread for each CPU: the measured work runs on both.
ACCEL=${ACCEL:-tcg}
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"

rounds=${ROUNDS:-20}
case $rounds in
'' | *[!0-9]* | 0*) die "ROUNDS=$rounds: not a number from 1" ;;
esac

find_kernel
make_guest "$work/tree" guest/bench-connect.sh nbd-client
initramfs "$work/initramfs" nbd "$work/tree" >/dev/null
vm_start "$work/initramfs" "rdinit=/test test.rounds=$rounds" \
	-serial "file:$work/kernel.log"
vm_ended

# row WHAT COMMAND: median, least and most, in ms.
row()
{
	sed -n "s/^time $1 //p" "$work/log" | sort -n | awk -v command="$2" '
	{ t[NR] = $1 / 1000 }
	END {
		if (NR == 0)
			exit 1
		median = NR % 2 ? t[(NR + 1) / 2] \
				: (t[NR / 2] + t[NR / 2 + 1]) / 2
		printf "%-46s %8.1f %8.1f %8.1f\n", command, median, t[1], t[NR]
	}'
}

echo "# make bench-connect ROUNDS=$rounds ($ACCEL, 2 CPUs, Linux $version," \
	"nbdkit memory 64M on 127.0.0.1; ms)"
printf '%-46s %8s %8s %8s\n' command median least most
row ours-connect 'nbdboot connect -c 4 -d nbd0 nbd://127.0.0.1/'
row theirs-connect 'nbd-client -C 4 127.0.0.1 /dev/nbd0'
row ours-disconnect 'nbdboot disconnect nbd0'
row theirs-disconnect 'nbd-client -d /dev/nbd0'
