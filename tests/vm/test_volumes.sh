#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Roots on volumes of LVM, LUKS and md, and on all of them, with the programs of
# Debian in the initramfs.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
disks=$work/disks
with=lvm,cryptsetup,mdadm

# with_programs FILE [ARGUMENT...]: an initramfs with them, of UML: FILE.uml
with_programs()
{
	file=$1
	shift
	if [ "$vm_kind" = uml ]; then
		modules=$uml_modules
		file=$file.uml
	fi
	sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" \
		-z none -k "$modules" -m "$(existing nbd virtio_net virtio_pci ext4 |
			tr '\n' ' ')" "$@" "$file"
}

make_disks()
{
	mkdir -p "$disks" "$work/add/etc/nbdboot"
	root_tree "$tree" guest/volumes.sh
	echo volumes >"$tree/etc/marker"
	ext4_of "$tree" "$disks/root" -L deep
	truncate -s 1M "$work/empty"
	disk_of "$work/empty" "$disks/lvm"
	sfdisk -q --delete "$disks/lvm"
	printf '%s\n' 'size=2048' ',' | sfdisk -q "$disks/lvm"
	truncate -s 64M "$disks/luks"
	truncate -s 96M "$disks/deep"
	truncate -s 64M "$disks/leg"
	# of an array that has partitions
	truncate -s 94M "$work/table"
	echo 'start=2048, size=184320' | sfdisk -q -X dos "$work/table"
	printf 'not for everybody' >"$work/key"
	add_busybox "$work/add"
	rm -f "$work/add/bin/init"
	install -m 755 "$here/guest/make_volumes.sh" "$work/add/make"
	dd if="$work/table" of="$work/add/table" count=1 status=none
	with_programs "$work/maker" -w $with -y "$work/key" -a "$work/add" \
		>"$work/made"
	serve 0 file dir="$disks"
	vm_start "$work/maker" "rdinit=/make loglevel=3 test.port=$port"
	vm_end
	unserve
	said '^guest: end$' || {
		show "$work/log"
		die 'the volumes cannot be made'
	}
}

# boot EXPORT WORD...
boot()
{
	serve 0 ${read_only+-r} file dir="$disks"
	export=$1
	shift
	vm_start "$work/initramfs" "nbdroot=$host:$port/$export ip=$guest_ip \
loglevel=4 $*"
}

# ends SENTENCE PATTERN...: and the way down leaves nothing in use
ends()
{
	vm_end
	unserve
	ended "$@" '^guest: marker is volumes$' \
		'nbdboot: all is unmounted and disconnected'
}

# stays SENTENCE PATTERN...: the boot ends with a message
stays()
{
	vm_wait '*nbdboot: *next try in*' '*nbdboot: this cannot pass*' || true
	vm_stop
	unserve
	shows "$@"
}

find_kernel
make_disks
with_programs "$work/initramfs" -w $with -y "$work/key" | sed 's/^/# /'

boot lvm root=/dev/mapper/vg-root rw
ends 'a root on a volume of LVM' '^guest: mount / /dev/mapper/vg-root ext4 rw$' \
	'^guest: mapping vg-root on nbd0p2, E:DM_UDEV_PRIMARY_SOURCE_FLAG=1$'
boot lvm root=/dev/vg/root ro
ends 'the same by its other name' '^guest: mount / /dev/[a-z/]*vg.root ext4 ro$'
boot lvm root=/dev/mapper/vg-none
stays 'a volume that is not there is named' \
	'FAILED: volumes: /dev/mapper/vg-none: no such block device' \
	'nbdboot: nbdboot.part=/dev/mapper/vg-root: ext4'
boot luks rw
ends 'a root in LUKS, by a key file' \
	'^guest: mount / /dev/mapper/luks-[0-9a-f-]* ext4 rw$'
boot deep root=LABEL=deep rw
ends 'a root on LVM in LUKS on a partition of md' \
	'^guest: mount / /dev/mapper/deeper-root ext4 rw$' \
	'^guest: mapping luks-[0-9a-f-]* on md[0-9]*p1,'
boot leg rw
ends 'LVM on md whose superblock is at the end' \
	'^guest: mount / /dev/mapper/leg-root ext4 rw$' \
	'^guest: mapping leg-root on md[0-9]*,'
read_only=1
boot deep root=/dev/deeper/root rw
ends 'the same, read-only' '^guest: mount / /dev/[a-z/]*deeper.root ext4 ro$' \
	'^guest: array md'
boot lvm root=/dev/mapper/vg-root rw
ends 'LVM, read-only' '^guest: mount / /dev/mapper/vg-root ext4 ro$'
unset read_only
boot root
ends 'a root without any' '^guest: mount / /dev/nbd0 ext4 ro$'

# the console asks for a passphrase, for which nothing is stored
with_programs "$work/initramfs" -w $with >/dev/null
mkfifo "$work/keys"
exec 8<>"$work/keys"
vm_keys=$work/keys

# more: reads what the console has next; returns 1 if the machine ended
more()
{
	dd bs=65536 count=1 status=none <&3 >"$work/piece"
	[ -s "$work/piece" ] || return 1
	tr -d '\r' <"$work/piece" >>"$work/log"
}

# passphrase TEXT: types it, when it is asked for once more.  cryptsetup asks, and
# then turns the echo off and forgets what was typed until then: what comes back
# is typed again.
passphrase()
{
	asked=$((asked + 1))
	until [ "$(grep -c 'Enter passphrase for /dev/nbd0: ' "$work/log")" -ge \
		"$asked" ]; do
		more || return 0
	done
	while :; do
		printf '%s\n' "$1" >&8
		more || return 0
		grep -q -e "$1" "$work/piece" || return 0
		sed -i "s/$1//" "$work/log"
	done
}

asked=0
boot luks rw
passphrase 'a mistake'
passphrase 'not for everybody'
ends 'a root in LUKS, by a passphrase' \
	'^guest: mount / /dev/mapper/luks-[0-9a-f-]* ext4 rw$' \
	'No key available with this passphrase' '!not for everybody'
asked=0
boot luks
for try in 1 2 3; do
	passphrase "guess $try"
done
stays 'a wrong passphrase is named' 'nbdboot: /sbin/cryptsetup: exit status 2' \
	'FAILED: mount: /dev/nbd0 holds none of .*, but a LUKS 2 volume'
finish
