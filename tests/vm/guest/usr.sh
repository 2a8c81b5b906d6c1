#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init in the /usr of test_usr.sh: where / and /usr are, and what can be read and
# written.
export PATH=/usr/bin:/usr/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

awk '$2 == "/" || $2 == "/usr" || $2 == "/run/nbdboot/lower" {
	name = $1
	sub(".*/", "", name)
	options = $4
	sub(",relatime", "", options)
	sub(",(errors|size|mode|lowerdir).*", "", options)
	print "guest:", $2, "is", $3, options ($1 ~ /^\/dev/ ? " on " name : " ")
}' /proc/mounts
echo "guest: / has $(df -k / | awk 'END { print $2 }') KiB"
for name in /sys/block/dm-*/dm/name; do
	[ -e "$name" ] || continue
	dm=${name%/dm/name}
	echo "guest: it is $(cat "$name") of $(cd "$dm/slaves" && echo *)"
done
echo "guest: links $(cd / && for l in bin sbin lib lib64; do
	[ ! -L $l ] || echo "$l=$(readlink $l)"; done | tr '\n' ' ')"
[ ! -e /run/systemd/system/systemd-veritysetup@usr.service ] ||
	echo 'guest: systemd has nothing to do for usr'
for dir in / /usr/; do
	if echo x 2>/dev/null >"${dir}written"; then
		echo "guest: $dir is written"
	else
		echo "guest: $dir is not written"
	fi
done
grep -q guest.root /etc/mark 2>/dev/null && echo 'guest: the root of the export'
nbdboot list | sed 's/^/guest: list: /'
nbdboot report 2>/dev/null | grep -a 'the root is' | sed 's/^/guest: report: /'

# listen: opens the kernel's log, of which the shell's own read is too short
listen()
{
	mkfifo /run/kmsg
	cat /dev/kmsg >/run/kmsg &
	exec 4</run/kmsg
}

# await TEXT: until a line has it
await()
{
	while read -r line; do
		case $line in
		*"$1"*) break ;;
		esac
	done <&4
	exec 4<&-
	kill $!
	wait $!
}

case $(cat /proc/cmdline) in
*guest.await*)
	listen
	cat /usr/share/blob >/dev/null || echo 'guest: blob is cut short'
	await ' is wrong from '
	;;
*guest.clone*)
	listen
	await 'nbdboot: clone: nbd0 is disconnected'
	echo 3 >/proc/sys/vm/drop_caches
	echo 'guest: the server may go'
	echo "guest: blob is $(sha256sum /usr/share/blob | cut -d ' ' -f 1)"
	;;
*) echo "guest: blob is $(sha256sum /usr/share/blob | cut -d ' ' -f 1)" ;;
esac
# The same again, under the same kernel.
if grep -q guest.reroot /proc/cmdline && [ ! -e /run/nbdboot/cmdline ]; then
	cp /proc/cmdline /run/initramfs/reroot.new
	exec /run/initramfs/shutdown reboot
fi
echo 'guest: end'
exec /run/initramfs/shutdown poweroff
