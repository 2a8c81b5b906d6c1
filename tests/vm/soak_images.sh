#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Images as people have them, exported unchanged, and booted by init and by the
# hooks of Debian's initramfs: a table of which boot, or why not.  Needs root, loop
# devices, and the network for Debian's packages.
#
# ONLY is a pattern of the images.  HOOKS are init, dracut12 and initramfs-tools12,
# and those of Debian 13: dracut13 and initramfs-tools13.  With KEEP=1 the images
# and each initramfs stay in the build directory for the next run.
#
#	file	a file system of mmdebstrap
#	gpt	that on a disk with an ESP, marked as the root of this CPU, as
#		systemd-repart makes it
#	mkosi	a disk of mkosi
#	verity	gpt with a partition for a hash tree
#	lvm	a root on a logical volume, as debian-installer makes it
#	pv	that without partitions
#	luks	that in LUKS
#	md	that on one half of a mirror
#	btrfs	that in the subvolume @rootfs
#	ostree	a deployment
vm_kind=uml
only=${ONLY:-*}
hooks=${HOOKS:-init dracut12 initramfs-tools12}
VM_LIMIT=${VM_LIMIT:-600}
O=${O:-build}
# shellcheck source=tests/vm/images.sh
. "${0%/*}/images.sh"

wanted=''
for image in file gpt mkosi verity lvm pv luks md btrfs ostree; do
	# shellcheck disable=SC2254 # it is a pattern
	case $image in
	$only) wanted="$wanted $image" ;;
	esac
done
[ "$wanted" ] || {
	echo "soak_images: no image matches \"$only\", which is one pattern" >&2
	exit 1
}

# What needs the network comes before the machines have theirs.
debian=$(sh "${0%/*}/../debian.sh" "$O/debian") || exit 1
case $hooks in
*13*) sh "${0%/*}/../debian.sh" "$O/debian-trixie" trixie >/dev/null || exit 1 ;;
esac
if [ ! "${UML_INSIDE-}" ]; then
	hook_base "$O/debian" || exit 1
	case $hooks in
	*13*) hook_base "$O/debian-trixie" systemd-cryptsetup || exit 1 ;;
	esac
	mkosi_image "$O/images" || exit 1
fi
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/ostree.sh
. "$here/ostree.sh"

disks=$work/disks archives=$work
[ ! "${KEEP-}" ] || disks=$O/images/disks archives=$O/images

# words IMAGE HOOK: what a user writes, beside the server
# shellcheck disable=SC2154 # from the file of names
words()
{
	case $1:$2 in
	verity:init) echo "ro roothash=$roothash" ;;
	verity:*) echo "ro root=/dev/mapper/root roothash=$roothash" ;;
	*) echo "rw $(device_words "$@")" ;;
	esac
}

# shellcheck disable=SC2154
device_words()
{
	case $1:$2 in
	lvm:dracut* | pv:dracut*) echo root=/dev/mapper/vg-root rd.lvm.lv=vg/root ;;
	lvm:* | pv:*) echo root=/dev/mapper/vg-root ;;
	luks:dracut*) echo "root=/dev/mapper/luks rd.luks.name=$luks_uuid=luks \
rd.luks.key=$luks_uuid=/etc/keys/luks.key" ;;
	luks:initramfs*) echo root=/dev/mapper/luks ;;
	md:dracut*) echo root=LABEL=image rd.auto ;;
	btrfs:init) echo rootflags=subvol=@rootfs ;;
	btrfs:*) echo root=LABEL=image rootflags=subvol=@rootfs ;;
	ostree:init) echo "$word" ;;
	ostree:*) echo "root=LABEL=image $word" ;;
	file:* | *:init) ;;
	mkosi:*) echo "root=PARTUUID=$mkosi_uuid" ;;
	*) echo root=LABEL=image ;;
	esac
}

# What a hook cannot do it says; the others boot.
expected()
{
	case $1:$2 in
	verity:initramfs*) echo 'initramfs-tools verifies no root' ;;
	ostree:initramfs*) echo 'initramfs-tools starts no deployment' ;;
	pv:*) echo 'guest: image is lvm' ;; # a copy of its partition
	*) echo "guest: image is $1" ;;
	esac
}

# Why it did not boot: the expected line, or the last one that looks like it.
reason()
{
	if said "$1"; then grep -a -m 1 -e "$1" "$work/log"; else last_words; fi |
		sed 's/^\[ *[0-9.]*\] *//; s/^Warning: //' | cut -c 1-200
}

last_words()
{
	grep -aE 'nbdboot: |ALERT!|run-init|ailed|No such file|panic|not known' \
		"$work/log" |
		grep -avE 'EXT4-fs|Failed to find module|end Kernel panic|Rebooting|run_helper' |
		tail -n 1
}

# cell IMAGE HOOK: boots, and adds to the row.  With the time that Debian 13's
# systemd has for a device the server is late.
cell()
{
	export=$disks/$1
	[ "$1" != file ] || export=$disks/root
	serve 0 --filter=cow file "$export"
	# shellcheck disable=SC2046 # the words
	set -- "$1" "$2" "nbdroot=$host:$port/$1 $(words "$1" "$2")"
	archive=$archives/$2 vm_memory=1024
	[ ! -e "$archive.$1.uml" ] || archive=$archive.$1
	vm_start "$archive" "$3 ip=$guest_ip init=/usr/sbin/guest \
loglevel=4 panic=1 rd.shell=0 rd.emergency=reboot \
$quiet_systemd systemd.default_device_timeout_sec=3s"
	vm_end
	unserve
	mount=$(sed -n 's/^.*guest: root is //p' "$work/log")
	below=$(sed -n 's/^.*guest: below it: //p' "$work/log")
	if said 'guest: image is '; then
		result=boots
		evidence="$mount on $below"
	else
		result="says: $(reason "$(expected "$1" "$2")")"
		evidence=$result
	fi
	row="$row | $result"
	check "$1, $2: $evidence" said "$(expected "$1" "$2")"
	echo "# $3"
}

# With KEEP=1 there may be all of it.
prepare()
{
	mkdir -p "$disks"
	printf 'not for everybody' >"$work/key"
	if [ ! -s "$disks/pv" ]; then
		make_images
		fill_images
	fi
	# shellcheck source=/dev/null
	. "$disks/names"
	make_skeleton "$work/skeleton"
	for hook in $hooks; do
		[ ! -s "$archives/$hook.uml" ] || continue
		case $hook in
		*12) hook_images 12 "$O/debian" ;;
		*13) hook_images 13 "$O/debian-trixie" ;;
		*) init_image ;;
		esac
	done
}

find_kernel
prepare
for image in $wanted; do
	row="| $image"
	for hook in $hooks; do cell "$image" "$hook"; done
	echo "$row |" >>"$work/table"
done
for hook in image $hooks; do printf '| %s ' "$hook"; done
echo '|'
for hook in image $hooks; do printf '|---'; done
echo '|'
cat "$work/table"
finish || status=$?
echo "$((count - failed)) passed, $failed failed"
exit "${status:-0}"
