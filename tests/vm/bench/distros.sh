#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes the initramfs of Debian's two generators for a root on NBD, each in a
# Debian of its own, as their packages conflict: distros.sh DIR KERNEL MODULES
#
# Makes DIR/initramfs-tools and DIR/dracut, with only the modules that the
# machine needs, and DIR/initramfs-tools-full and DIR/dracut-full, as Debian
# builds them.  Files that exist are kept.
set -eu

dir=${1:?directory} kernel=${2:?kernel} modules=${3:?modules}
version=${modules##*/}
needed='nbd virtio_net virtio_pci ext4'
log=$dir/log

die()
{
	echo "distros: $*" >&2
	exit 1
}

# Shows the output of a command only if the command fails.
quietly()
{
	"$@" >"$log" 2>&1 </dev/null && return
	cat "$log" >&2
	die "\"$*\" failed (see above)"
}

# debian NAME PACKAGE,...: makes a Debian with them and the kernel in
# DIR/NAME.root
debian()
{
	root=$dir/$1.root
	[ ! -e "$root/ready" ] || return 0
	rm -rf "$root"
	echo "distros: making a Debian with $1" >&2
	quietly debootstrap --variant=minbase --include="$2" bookworm "$root"
	mkdir -p "$root/usr/lib/modules"
	cp -a "$modules" "$root/usr/lib/modules/"
	cp "$kernel" "${kernel%/*}/config-$version" "$root/boot/"
	: >"$root/ready"
}

initramfs_tools()
{
	debian initramfs-tools initramfs-tools,nbd-client,busybox,udev,zstd
	etc=$root/etc/initramfs-tools
	rm -f "$etc/conf.d/modules"
	quietly chroot "$root" mkinitramfs -o /boot/full "$version"
	echo MODULES=list >"$etc/conf.d/modules"
	echo "$needed" | tr ' ' '\n' >"$etc/modules"
	# it takes every network card along, else
	hook=$root/usr/share/initramfs-tools/hooks/nbd-client
	sed -i '/^auto_add_modules net/d' "$hook"
	quietly chroot "$root" mkinitramfs -o /boot/small "$version"
	mv "$root/boot/full" "$dir/initramfs-tools-full"
	mv "$root/boot/small" "$dir/initramfs-tools"
}

# make_dracut FILE ARGUMENT...
make_dracut()
{
	file=$1
	shift
	# dracut looks for itself in /proc
	quietly unshare --mount --pid --fork --kill-child sh -c "
		mount -t proc proc '$root/proc' && exec chroot '$root' \
		dracut --force --no-hostonly \"\$@\" '/boot/$file' '$version'" \
		sh "$@"
}

dracut()
{
	debian dracut dracut,dracut-network,nbd-client,busybox,udev,kmod,\
zstd,isc-dhcp-client,iproute2,iputils-arping,procps,systemd,e2fsprogs
	[ -e "$root/boot/full" ] ||
		make_dracut full --add 'nbd network-legacy'
	# it takes every network card along, else
	echo 'installkernel() { :; }' >>"$root/usr/lib/dracut/modules.d/\
90kernel-network-modules/module-setup.sh"
	parts='base rootfs-block nbd network network-legacy fs-lib udev-rules'
	make_dracut small --zstd \
		--drivers "$needed" -m "$parts shutdown"
	mv "$root/boot/full" "$dir/dracut-full"
	mv "$root/boot/small" "$dir/dracut"
}

mkdir -p "$dir"
[ -e "$dir/initramfs-tools" ] || initramfs_tools
[ -e "$dir/dracut" ] || dracut
