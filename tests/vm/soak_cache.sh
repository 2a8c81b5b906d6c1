#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian that keeps what its boots read on a disk of virtio or NVMe: how much of a
# second boot still comes from the server.  CASES are some of those in the last
# lines.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
disk=$work/disk
uuid=5c0f6a1e-7b7c-4a0e-9c53-0d2f6f6e8b11

# make_images: of each file system
make_images()
{
	debian=$(sh "$here/../debian.sh" "$O/debian") || exit 1
	cp -a "$debian" "$tree"
	cp "$here/guest/cache_debian.sh" "$tree/usr/local/sbin/guest"
	printf '%s\n' '[Service]' 'ExecStart=/usr/local/sbin/guest' \
		'[Install]' 'WantedBy=multi-user.target' \
		>"$tree/etc/systemd/system/guest.service"
	install -m 755 "$nbdboot" "$tree/usr/local/sbin/nbdboot"
	ln -s /etc/systemd/system/guest.service \
		"$tree/etc/systemd/system/multi-user.target.wants/"
	truncate -s 512M "$work/ext4"
	mke2fs -q -t ext4 -E root_owner=0:0,lazy_itable_init=1 -U "$uuid" \
		-d "$tree" "$work/ext4"
	mksquashfs "$tree" "$work/squashfs" -quiet -no-progress -all-root -no-xattrs \
		-comp zstd -Xcompression-level 3 >/dev/null
	rm -rf "$tree"
}

# boot FILE WORD...: Sets read, the KiB that the server has sent for it, without what
# the way down reads.
boot()
{
	image=$1
	shift
	serve 0 -r --filter=log file "$image" logfile="$work/reads"
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip \
nbdboot.overlay loglevel=4 $quiet_systemd $*" \
		-drive "if=none,id=disk,format=raw,file=$disk" \
		-device "$drive,drive=disk"
	vm_wait '*guest: the boot is over*' || :
	sed -n 's/.* Read .* offset=\(0x[0-9a-f]*\) count=\(0x[0-9a-f]*\) .*/\1 \2/p' \
		"$work/reads" >"$work/pieces"
	echo >&4
	vm_end
	unserve
	read=$(cut -d ' ' -f 2 "$work/pieces" | sort | uniq -c | {
		sum=0
		while read -r n bytes; do sum=$((sum + n * bytes)); done
		echo $((sum / 1024))
	})
}

# up SENTENCE PATTERN...: the machine has come up, and ended
up()
{
	shows "$@" '^guest: system is running' '!WRONG' \
		'all is unmounted and disconnected'
}

# kept KIND/FILESYSTEM
kept()
{
	case ${1%/*} in
	nvme) drive=nvme,serial=1 name=nvme0n1 ;;
	*) drive=virtio-blk-pci name=vda ;;
	esac
	image=$work/${1#*/}
	# squashfs has no UUID
	found='^guest: nbd0: squashfs$'
	[ "${1#*/}" = squashfs ] ||
		found="^guest: by UUID $uuid it is /dev/\\(nbd0\\|dm-0\\)\$"
	rm -f "$disk"
	truncate -s 256M "$disk"
	boot "$image"
	plain=$read
	up "$1: it boots without the disk"
	boot "$image" "nbdboot.cache=/dev/$name,image=$1"
	up "$1: the first boot fills it" "$found" \
		"^guest: log: cache: /dev/$name has [0-9]* KiB"
	boot "$image" "nbdboot.cache=/dev/$name,image=$1"
	up "$1: the second one reads it there" "$found" \
		"cache: /dev/$name has [0-9]* KiB of this image"
	check "$1: and at most 2 % from the server ($read of $plain KiB)" \
		[ "$read" -gt 0 -a $((read * 50)) -le "$plain" ]
	# where the rest is, for whoever looks for it
	sed 's/^/# from the server: /' "$work/pieces"
}

find_kernel
make_images
vm_keys=$work/keys
mkfifo "$vm_keys"
exec 4<>"$vm_keys"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci virtio_blk nvme ext4
	squashfs overlay dm_mod dm_mirror' | sed 's/^/# /'
for case in ${CASES:-virtio/ext4 nvme/squashfs}; do
	kept "$case"
done
finish
