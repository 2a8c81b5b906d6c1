#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Boots with a list of blocks to fetch, during which the server fails: at each of
# STEPS of the conversation it does each of FAULTS (../interop/faults.c has the
# list), and serves again: not an error, which a file system keeps.  The machine
# comes up with the right data, and goes down with all undone.  KINDS: a root that
# is read, and one that is written to, whose file system is whole then.  TAP on
# standard output.
vm_kind=uml
VM_LIMIT=${VM_LIMIT:-900}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/faults.sh
. "$here/faults.sh"

tree=$work/tree
image=$work/image
sectors=65536

find_kernel
root_tree "$tree" guest/prefetch.sh
install -m 755 "$nbdboot" "$tree/bin/nbdboot"
head -c 4M /dev/urandom >"$tree/etc/blob"
blob=$(sha256sum "$tree/etc/blob" | cut -d ' ' -f 1)
mkdir -p "$tree/var/lib/nbdboot"
printf '%s\n' 'nbdboot-prefetch 1' "image $sectors squashfs:" '8 2040' \
	'4096 8192' '12296 40000' 'end 3' >"$tree/var/lib/nbdboot/prefetch"
mksquashfs "$tree" "$image" -quiet -no-progress -all-root -noD -noF >/dev/null
truncate -s $((sectors * 512)) "$image"
sum=$(sha256sum "$image" | cut -d ' ' -f 1)
initramfs "$work/initramfs" \
	'nbd virtio_net virtio_pci squashfs overlay loop dm_mod' | sed 's/^/# /'
faults_begin

# A root that is written to, and its list in the initramfs.
uuid=6cfcd8a3-5f02-4f4a-8a3e-4c2b35e3c0c1
mkdir -p "$tree/var/tmp" "$work/early/etc/nbdboot"
head -c 512k /dev/zero >"$tree/var/tmp/blob"
sed "s/squashfs:/ext4:$uuid/" "$tree/var/lib/nbdboot/prefetch" \
	>"$work/early/etc/nbdboot/prefetch"
ext4_of "$tree" "$work/written" -U "$uuid"
initramfs "$work/early.img" \
	'nbd virtio_net virtio_pci ext4 overlay loop dm_mod dm_mirror' \
	"$work/early" | sed 's/^/# /'

# soak_written FAULT STEP
soak_written()
{
	cp "$work/written" "$work/root"
	fail "$1" "$2" "$work/root"
	vm_start "$work/early.img" "root=nbd://$host:$faulty/ ip=$guest_ip \
loglevel=4 rw nbdboot.prefetch=0ms nbdboot.io-timeout=3 guest.write"
	vm_end
	fail_end
	[ "$happened" != fault ] || seen=$((seen + 1))
	shows "written to: $1 at step $2 ($happened;$(sed -n \
		's/.*nbdboot: prefetch: \(.*\) fetched.*/ \1/p' "$work/log"))" \
		'^guest: wrote 16 times$' \
		'^guest: after that /dev/dm-0 is made of nbd0$' \
		'all is unmounted and disconnected' '!WRONG' '^guest: end$'
	check 'and the file system is whole' e2fsck -fn "$work/root"
	check 'and has what was written' blob_is_whole "$work/root"
}

# soak_read FAULT STEP
soak_read()
{
	fail "$1" "$2" "$image"
	vm_start "$work/initramfs" "root=nbd://$host:$faulty/ ip=$guest_ip \
loglevel=4 nbdboot.overlay nbdboot.prefetch=0ms nbdboot.io-timeout=3"
	vm_end
	fail_end
	[ "$happened" != fault ] || seen=$((seen + 1))
	shows "$1 at step $2 ($happened;$(sed -n \
		's/.*nbdboot: prefetch: \(.*\) fetched.*/ \1/p' "$work/log"))" \
		"^guest: first /etc/blob is $blob$" \
		"^guest: later /etc/blob is $blob$" \
		"^guest: later /dev/dm-0 is $sum$" \
		'^guest: after that /dev/dm-0 is made of nbd0$' \
		'all is unmounted and disconnected' '!WRONG' '^guest: end$'
}

seen=0
for step in ${STEPS:-4 6 8 10 14 20 30 40 60 80 120 160}; do
	for fault in ${FAULTS:-die freeze drip lose cut stall}; do
		for kind in ${KINDS:-read written}; do
			# User-mode Linux cannot end a connection
			case $fault in
			stall) in_qemu "soak_$kind" "$fault" "$step" ;;
			*) "soak_$kind" "$fault" "$step" ;;
			esac
		done
	done
done
check "faults happened in $seen boots" [ "$seen" -gt 0 ]
finish
