#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# configs/rescue_defconfig in an initramfs of busybox: copies from a disk with
# errors (dm-flakey), and from a server with errors.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
disk=$work/disk
target=$work/target
programs=${O%/t/product}/t/size-rescue

find_kernel
# The kernel of such a machine has dm-flakey and its disks; Debian's for QEMU
# would need other names.
[ "$vm_kind" = uml ] || {
	ok 'machines of QEMU have no disk for it # SKIP allowed: User-mode Linux has'
	finish
}
(cd "$here/../.." && unset MAKEFLAGS MFLAGS MAKEOVERRIDES &&
	make -s O="$programs" rescue_defconfig &&
	make -s -j2 O="$programs" all) >"$work/make" 2>&1 ||
	die "rescue_defconfig does not build: $(cat "$work/make")"
nbdboot=$programs/nbdboot
make_guest "$tree" guest/rescue_copy.sh dmsetup
for module in dm-mod dm-flakey; do
	install -m 644 "$uml_modules/kernel/drivers/md/$module.ko" "$tree/"
done
initramfs "$work/initramfs" 'virtio_net virtio_pci' "$tree" | sed 's/^/# /'

# two partitions, of which the second has 8 MiB and a name
head -c 8M /dev/urandom >"$work/part"
truncate -s 12M "$disk"
printf '%s\n' 'label: gpt' 'start=2048, size=2048' \
	'start=4096, size=16384, name=rescue' | sfdisk -q "$disk"
dd if="$work/part" of="$disk" bs=1M seek=2 conv=notrunc status=none
truncate -s 12M "$target"
truncate -s 12M "$work/local"
printf '%s\n' 'label: gpt' 'start=2048, size=2048' \
	'start=4096, size=16384' | sfdisk -q "$work/local"

serve 0 file "$target"
to=$port
serve 0 --filter=error file "$disk" error-pread=EIO error-pread-rate=50%
sums="test.disk=$(sha256sum <"$disk") test.part=$(sha256sum <"$work/part")"
guest_tests "$work/initramfs" "$(echo "$sums" | tr -d ' -' |
	sed 's/test.part/ &/') test.to=$to test.from=$port \
ubd0=$disk ubd1=$work/local"
check 'the server has all of the disk' cmp "$disk" "$target"
check 'and the disk of the machine the partition' \
	cmp -i 2097152:0 -n 8388608 "$work/local" "$work/part"
finish
