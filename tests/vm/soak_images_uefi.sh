#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Several images on a machine whose UEFI firmware keeps the tries: it resets itself
# from one image to the next, and at last the variable is spoiled.  TAP on standard
# output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"

find_kernel
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4' >/dev/null
mkdir "$work/disks"
root_tree "$work/tree" guest/images_uefi.sh
copy_program "$work/tree" chattr lsattr
for kind in panics first last empty; do
	echo $kind >"$work/tree/etc/kind"
	[ $kind != empty ] || rm "$work/tree/sbin/init"
	ext4_of "$work/tree" "$work/disks/$kind"
done

# listed IMAGE...: the list that the server has
listed()
{
	printf "$root/%s\n" "$@" >"$work/disks/boot.conf"
}
serve 0 file "dir=$work/disks"
root=nbd://$host:$port
listed panics empty first

# How often the firmware has written the variable: its store is a log, whose
# records begin with the name.
written()
{
	LC_ALL=C grep -a -o -P "$(printf %s NbdBootImages | sed 's/./&\\x00/g')" \
		"$work/vars" | wc -l
}

# next SENTENCE LINE PATTERN...: the machine goes on up to that line, and shows
# the others since the last time
next()
{
	sentence=$1 until=$2
	shift 2
	: >"$work/log"
	vm_wait "*$until*" || true
	shows "$sentence" "$until" "$@"
}

uefi_resets='-action reboot=reset'
uefi_start -kernel "$kernel" -initrd "$work/initramfs" \
	-append "root=$root/first nbdboot.images=$root/boot.conf ip=$guest_ip \
$kernel_words panic=1 loglevel=4 printk.devkmsg=on" \
	-netdev user,id=net,ipv6=off -device virtio-net-pci,romfile=,netdev=net
next 'a new image panics' 'guest: image panics' '/panics is tried'
next 'and again' 'guest: image panics' '/panics is tried'
next 'the firmware knows that over a reset, and one that cannot be mounted is left' \
	'guest: shown' '/panics is left: it was booted 2 times' \
	'/empty is left: it cannot be booted' '/first is tried' \
	'guest: image first' 'guest: now kept efi' 'guest: now state good' \
	'guest: kept good ' 'guest: kept tried .* 2'
check 'the variable cannot be removed by mistake' \
	said 'guest: flags [^ ]*i[^ ]* '
bytes=$(sed -n 's/^guest: variable of \([0-9]*\) bytes$/\1/p' "$work/log")
check "it has ${bytes:-no} bytes" [ "${bytes:-999}" -lt 200 ]
# two tries, three of what is left and of the next, and "good"
before=$(written)
check "it was written $before times, once for each try and its result" \
	[ "$before" = 6 ]
next 'the good image is booted after another reset' 'guest: shown' \
	'/first, which was good before' '!is tried'
check 'without a write' [ "$(written)" = "$before" ]
listed last
next 'the variable is spoiled' 'guest: spoiled'
vm_end
shows 'the next boot says so, and is no worse for it' \
	'what was kept of images is no such text, and counts as nothing' \
	'guest: image last' 'guest: now state good' 'guest: kept good '
finish
