#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Boots a machine without a disk in QEMU: Debian's kernel and our initramfs,
# with a small root file system that is served on the loopback.
#
#   ARCH=aarch64    a machine with that CPU
#   INTERACTIVE=1   a login shell in the machine
#   VERBOSE=1       all messages of the kernel
#   CHART=FILE      draws where the boot spent its time, as SVG
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

root=$work/tree
image=$work/root.ext4
emulator=${ARCH:+qemu-$ARCH-static}

make_root()
{
	add_busybox "$root"
	mkdir -p "$root/sbin" "$root/etc" "$root/proc" "$root/sys" \
		"$root/dev" "$root/run" "$root/root" "$root/tmp"
	ln -s ../bin/busybox "$root/sbin/init"
	cp "$here/guest/demo.sh" "$root/etc/rc"
	chmod 755 "$root/etc/rc"
	echo diskless >"$root/etc/hostname"
	{
		echo '::sysinit:/etc/rc'
		[ -z "${INTERACTIVE-}" ] || echo "$console::respawn:-/bin/sh"
		echo '::shutdown:/bin/mount -o remount,ro /'
	} >"$root/etc/inittab"
	[ -z "${INTERACTIVE-}" ] || touch "$root/etc/interactive"
	echo 'export HOME=/root PATH=/bin:/sbin PS1="\h:\w# "' \
		>"$root/etc/profile"
	truncate -s 64M "$image"
	mke2fs -q -t ext4 -E root_owner=0:0 -d "$root" "$image"
}

find_kernel
make_root
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4'
serve 0 file "$image"
uri=nbd://$host:$port/
words="root=$uri ip=$guest_ip rw"
[ "${VERBOSE-}" ] || words="$words loglevel=4"
echo "demo: nbdkit serves the root as $uri; starting the machine with"
echo "demo:   $words"

if [ "${INTERACTIVE-}" ]; then
	echo 'demo: "poweroff" ends it'
	(qemu "$work/initramfs" "$words" -serial mon:stdio)
	exit
fi

# Everything but the times, which are for boot-time.
print()
{
	case $line in
	'demo: times: '*)
		printf '%s\n' "${line#demo: times: }" >>"$work/times" ;;
	*) printf '%s\n' "$line" ;;
	esac
}
vm_line=print

start=$(date +%s)
vm_start "$work/initramfs" "$words"
vm_wait 'demo: guest: *' ||
	die 'FAILED: the machine ended before its root was up (see above)'
end=$(date +%s)
case $line in
'demo: guest: ok '*) sum=${line#demo: guest: ok } ;;
*) die "FAILED: ${line#demo: guest: }" ;;
esac
# The machine switches itself off.
! vm_wait '*Kernel panic*' || die 'FAILED: the machine panicked at its end'
vm_stop
# The server's file holds what the guest wrote.
served=$(debugfs -R 'cat /root/random' "$image" 2>/dev/null | sha256sum)
[ "${served%% *}" = "$sum" ] ||
	die 'FAILED: what the machine wrote is not what the server holds'
echo 'demo: the steps of the boot, in ms since the kernel started:'
$emulator "$nbdboot" boot-time "$work/times"
[ ! "${CHART-}" ] || $emulator "$nbdboot" boot-time --svg "$work/times" >"$CHART"
echo "demo: booted from $uri in $((end - start)) s, root is /dev/nbd0"
