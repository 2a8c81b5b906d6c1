#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init of the roots of test_verity.sh: what verifies the root, and what can be
# read of it.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

# The devices that a mapping is made of.
made_of()
{
	(cd "/sys/block/$1/slaves" && echo *)
}

# listen: opens the kernel's log, of which the shell's own read is too short
listen()
{
	mkfifo /run/kmsg
	cat /dev/kmsg >/run/kmsg &
	exec 4</run/kmsg
}

# await TEXT [TEXT]: until a line of it has one, which is in $line then
await()
{
	while read -r line; do
		case $line in
		*"$1"* | *"${2-$1}"*) return ;;
		esac
	done <&4
}

verity=$(grep -l verity /sys/block/dm-*/dm/name 2>/dev/null) || verity=
verity=${verity#/sys/block/}
verity=${verity%%/*}
awk '$2 == "/run/nbdboot/lower" || $2 == "/" { print "guest:", $2, "is on", $1,
	substr($4, 1, 2) }' /proc/mounts
# the one in use has more than the reference of its module
echo "guest: hashed by $(awk '$1 == "name" { name = $3 }
	$1 == "driver" { driver = $3 }
	$1 == "refcnt" && name ~ /^sha(256|512)$/ && $3 > 1 { print driver }
	' /proc/crypto | sort | tr '\n' ' ')"
if [ "$verity" ]; then
	echo "guest: it is $(cat "/sys/block/$verity/dm/name")" \
		"read-only $(cat "/sys/block/$verity/ro") of $(made_of "$verity")"
	for dev in $(made_of "$verity"); do
		case $dev in
		dm-*) echo "guest: $dev is made of $(made_of "$dev")" ;;
		esac
	done
	printf x 2>/dev/null >"/dev/$verity" && echo 'guest: WRONG: written'
fi
if grep -q guest.outage /proc/cmdline && [ ! -e /run/nbdboot/cmdline ]; then
	listen
	echo 'guest: the tree may go'
	await 'nbd1: all connections live again'
	# process 1 goes on with what it has open
	exec 4<&-
	kill $!
	wait $!
	echo 'guest: the tree is back'
fi
# The root below the tree moves to a disk.
if grep -q guest.clone /proc/cmdline; then
	listen
	await 'nbdboot: clone: nbd0 is disconnected' 'nbdboot: nbd0: '
	echo "guest: ${line#*nbdboot: }"
	exec 4<&-
	kill $!
	wait $!
	echo 3 >/proc/sys/vm/drop_caches
	for dev in $(made_of "$verity"); do
		echo "guest: now $dev is made of $(made_of "$dev")"
	done
fi
case $(cat /proc/cmdline) in
*guest.whole*)
	# what cannot be read is left as zeros
	echo "guest: all of it is $(dd if="/dev/$verity" bs=4096 \
		conv=noerror,sync 2>/dev/null | sha256sum | cut -d ' ' -f 1)"
	;;
*guest.liar*)
	listen
	cat /etc/blob >/dev/null
	await ' is wrong from '
	echo "guest: the liar is ${line#*;}"
	await 'nbd0: all connections live again'
	# the new table comes a moment later, and squashfs keeps the block whose
	# read has failed until it reads another one
	until sum=$(sha256sum /etc/blob 2>/dev/null); do
		echo 3 >/proc/sys/vm/drop_caches
		cat /bin/nbdboot >/dev/null
	done
	echo "guest: blob is ${sum%% *}"
	;;
*guest.coded*)
	listen
	echo "guest: blob is $(sha256sum /etc/blob | cut -d ' ' -f 1)"
	if cat /etc/other >/dev/null; then
		echo 'guest: WRONG: read'
	else
		await ' is wrong from '
	fi
	;;
*guest.bad*)
	echo 'guest: reads'
	cat /etc/blob >/dev/null
	;;
*) echo "guest: blob is $(sha256sum /etc/blob | cut -d ' ' -f 1)" ;;
esac
# The root again, under the same kernel.
if grep -q guest.reroot /proc/cmdline && [ ! -e /run/nbdboot/cmdline ]; then
	cp /proc/cmdline /run/initramfs/reroot.new
	exec /run/initramfs/shutdown reboot
fi
echo 'guest: end'
exec /run/initramfs/shutdown poweroff
