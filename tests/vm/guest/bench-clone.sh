#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init of the root of bench/clone.sh: times a copy, then fio alone and fio beside a
# clone in turns (bench.turns=), and a clone alone, at the pace of bench.pace=
# (percent of the time; "default": as it is).
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

share=/sys/module/dm_mirror/parameters/raid1_resync_throttle

word()
{
	tr ' ' '\n' </proc/cmdline | sed -n "s/^bench\.$1=//p"
}

now()
{
	awk '{ print int($1 * 1000) }' /proc/uptime
}

# Reads and writes in a second, of a program that waits for each, and the longest
# write (ms).
run_fio()
{
	echo "bench: $1 $(fio --name=f --filename=/var/tmp/fio --size=8M \
		--rw=randrw --rwmixread=70 --bs=8k --direct=1 --ioengine=psync \
		--randseed=7 --time_based --runtime="$(word seconds)" \
		--minimal | awk -F ';' '{ printf "%d %d", $8 + $49, $56 / 1000 }')"
}

# begin: a clone by hand, at the pace.  Sets clone.
begin()
{
	: >/run/clone
	nbdboot clone nbd0 /dev/ubda,erase 2>/run/clone &
	clone=$!
	until grep -q 'clone: copying' /run/clone; do sleep 0.05; done
	[ "$pace" != default ] || return 0
	# nbdboot changes what lies above it
	: >/run/share
	echo "$pace" >$share
	mount --bind /run/share $share
}

pace=$(word pace)
began=$(now)
nbdboot copy /dev/nbd0 /dev/ubdb >/dev/null 2>&1 || echo 'bench: WRONG: copy'
echo "bench: copy $(($(now) - began))"
run_fio warm
for _ in $(seq "$(word turns)"); do
	run_fio alone
	begin
	run_fio beside
	if ! kill "$clone" 2>/dev/null; then
		echo 'bench: WRONG: the copy was over'
	fi
	wait "$clone"
	[ "$pace" = default ] || umount $share
done
run_fio alone
sync
# at a slow pace it would take minutes, and says nothing
[ "$pace" = default ] || [ "$pace" -ge 50 ] || pace=100
begin
began=$(now)
wait "$clone" || { echo 'bench: WRONG: clone' && cat /run/clone; }
echo "bench: clone $(($(now) - began))"
echo 'bench: end'
sync
exec /run/initramfs/shutdown poweroff
