#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init of the roots of test_prefetch.sh: what is below the root, and what came
# from the server.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

# The devices that the mapping is made of.
made_of()
{
	echo "guest: $1 /dev/dm-0 is made of" \
		"$(cd /sys/block/dm-0/slaves 2>/dev/null && echo *)"
	echo "guest: $1 writes yield to reads of more than" \
		"$(cat /sys/block/nbd0/queue/wbt_lat_usec) us"
}

# KiB of files in RAM that the machine has.
in_ram()
{
	awk '$1 == "Shmem:" { print $2 }' /proc/meminfo
}

# Sectors that the server has sent.
served()
{
	awk '{ print $3 }' /sys/block/nbd0/stat
}

# Its sum, read from the device.
sum()
{
	echo 3 >/proc/sys/vm/drop_caches
	echo "guest: $1 $2 is $(sha256sum "$2" | cut -d ' ' -f 1)"
}

# Replaces what is in a file ROUNDS times, and compares.  In between the boot
# ends: RAM is above the server first, and then is not.
write_and_compare()
{
	for round in $(seq "$1"); do
		head -c 512k /dev/urandom >/run/new
		dd if=/run/new of=/var/tmp/blob bs=32k conv=notrunc,fsync \
			2>/dev/null || echo "guest: WRONG: cannot write"
		new=$(sha256sum </run/new)
		echo "$new" >/var/tmp/sum
		echo 3 >/proc/sys/vm/drop_caches
		[ "$(sha256sum </var/tmp/blob)" = "$new" ] ||
			echo "guest: WRONG: round $round is not what was written"
		[ "$round" != "${2-}" ] || nbdboot prefetch stop &
	done
	wait
	sync
	echo "guest: wrote $1 times"
}

# Kills the process of the list, or with "all" its guard, too.
kill_learners()
{
	for comm in /proc/[0-9]*/comm; do
		read -r name <"$comm" || continue
		[ "$name" = nbdboot ] || continue
		case $(tr '\0' ' ' <"${comm%comm}cmdline") in
		'@nbdboot prefetch '*) ;;
		*) continue ;;
		esac
		if grep -q '^PPid:.1$' "${comm%comm}status"; then
			worker=${comm#/proc/}
		else
			guard=${comm#/proc/}
		fi
	done 2>/dev/null
	[ "$1" != all ] || kill -9 "${guard%/comm}"
	kill -9 "${worker%/comm}"
}

# Until requests have been waiting above the device for long that it does not have.
await_held()
{
	looks=0
	until [ "$looks" = 300 ]; do
		read -r in1 out1 </sys/block/dm-0/inflight
		read -r in2 out2 </sys/block/nbd0/inflight
		if [ $((in1 + out1)) -gt 0 ] && [ $((in2 + out2)) = 0 ]; then
			looks=$((looks + 1))
		else
			looks=0
		fi
	done
}

awk '$2 == "/run/nbdboot/lower" || $2 == "/" { print "guest:", $2, "is on", $1 }' \
	/proc/mounts
made_of 'while booting'
if grep -q guest.learn /proc/cmdline; then
	sum first /etc/blob
	nbdboot prefetch stop
	nbdboot prefetch show
	sed 's/^/list: /' /run/nbdboot/prefetch
elif grep -q guest.cut /proc/cmdline; then
	write_and_compare 6
	made_of 'until the end'
	echo 'guest: end'
	echo b >/proc/sysrq-trigger
elif grep -q guest.kill /proc/cmdline; then
	kill_learners one
	nbdboot prefetch stop || true
	made_of 'after a kill'
	dmesg | sed -n 's/.*prefetch: the process that/guest: one that/p'
	write_and_compare 2
elif grep -q guest.leave /proc/cmdline; then
	# nobody is left, and then a write fails
	kill_learners all
	write_and_compare 4 &
	await_held
	made_of 'when writes are held'
	nbdboot prefetch stop || echo 'guest: WRONG: it is not freed'
	wait
	made_of 'after that'
elif grep -q guest.grow /proc/cmdline; then
	# a larger image, while the boot's table is in use, and again behind it
	for when in 'while booting' 'after that'; do
		read -r before </sys/block/nbd0/size
		echo "guest: $when it may grow"
		until [ "$(cat /sys/block/nbd0/size)" -gt "$before" ]; do
			sleep 0.1
		done
		[ "$when" = 'after that' ] || nbdboot prefetch stop
		until [ "$(cat /sys/block/dm-0/size)" = \
			"$(cat /sys/block/nbd0/size)" ]; do
			sleep 0.1
		done
		echo "guest: $when it has $(cat /sys/block/dm-0/size) sectors," \
			"$(cat /sys/block/dm-0/queue/read_ahead_kb) KiB ahead"
		dd if=/etc/blob of=/dev/dm-0 bs=4k count=1 conv=notrunc,fsync \
			seek=$((before / 8)) 2>/dev/null ||
			echo 'guest: WRONG: cannot write behind the old end'
		write_and_compare 2
	done
elif grep -q guest.part /proc/cmdline; then
	# what growpart(1) does
	read -r before </sys/block/nbd0/nbd0p2/size
	echo ', 81920' | sfdisk -q --no-reread --force -N 2 /dev/nbd0
	partx -u --nr 2 /dev/nbd0
	nbdboot prefetch grow nbd0 2>&1 | sed 's/^/guest: too soon: /'
	nbdboot prefetch stop
	[ "$(cat /sys/block/dm-0/size)" = 81920 ] ||
		echo 'guest: WRONG: not larger after the boot'
	echo ', 98304' | sfdisk -q --no-reread --force -N 2 /dev/nbd0
	partx -u --nr 2 /dev/nbd0
	nbdboot prefetch grow nbd0
	echo "guest: the mapping has $(cat /sys/block/dm-0/size) sectors"
	dd if=/etc/blob of=/dev/dm-0 bs=4k count=1 conv=notrunc,fsync \
		seek=$((before / 8)) 2>/dev/null ||
		echo 'guest: WRONG: cannot write behind the old end'
	write_and_compare 2
elif grep -q guest.write /proc/cmdline; then
	full=$(in_ram)
	write_and_compare 16 6
	made_of 'after that'
	[ $((full - $(in_ram))) -gt 2048 ] && echo 'guest: RAM is given back'
	[ ! -e /sys/block/loop0/loop ] && echo 'guest: loop0 is free'
	echo 3 >/proc/sys/vm/drop_caches
	[ "$(sha256sum </var/tmp/blob)" = "$(cat /var/tmp/sum)" ] ||
		echo 'guest: WRONG: the server has something else'
elif [ -e /sys/block/dm-0 ]; then
	before=$(served)
	sum first /etc/blob
	echo "guest: $(($(served) - before)) sectors of it came from the server"
	sum first /dev/dm-0
	full=$(in_ram)
	nbdboot prefetch stop && made_of 'after that'
	[ $((full - $(in_ram))) -gt 2048 ] && echo 'guest: RAM is given back'
	[ ! -e /sys/block/loop0/loop ] && echo 'guest: loop0 is free'
	dmesg | sed -n 's/.*prefetch: the boot has read/guest: read/p'
	nbdboot list nbd0 | sed -n 's/^  Prefetch:/guest: list:/p'
	nbdboot boot-time | sed -n 's/^prefetch:/guest: boot-time:/p'
	nbdboot list --metrics | sed -n 's/^nbdboot_prefetch_ram_/guest: &/p'
	nbdboot report | sed -n 's/^ram_reads/guest: report: &/p'
	sum later /etc/blob
	sum later /dev/dm-0
elif nbdboot prefetch stop 2>/dev/null; then
	# the reads were listed, and nothing was mapped
	[ ! -e /sys/block/dm-0 ] && echo 'guest: nothing is mapped'
	nbdboot boot-time | sed -n 's/^prefetch:/guest: boot-time:/p'
fi
for exe in /proc/[0-9]*/exe; do
	[ -e "$exe" ] || continue # a thread of the kernel
	case $(tr '\0' ' ' <"${exe%exe}cmdline") in
	'@nbdboot prefetch '*) echo 'guest: WRONG: it goes on' ;;
	esac
done
# The root again, under the same kernel.
if grep -q guest.reroot /proc/cmdline && [ ! -e /run/nbdboot/cmdline ]; then
	cp /proc/cmdline /run/initramfs/reroot.new
	exec /run/initramfs/shutdown reboot
fi
echo 'guest: end'
exec /run/initramfs/shutdown poweroff
