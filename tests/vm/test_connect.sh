#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# connect, disconnect, list, load and unload with a kernel, in one machine.  TAP
# on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
image=$work/disk
size=$((128 * 1048576))

# With a GPT: the first connection reads its partitions, then overwrites it.
make_disk()
{
	truncate -s "$size" "$image"
	printf 'label: gpt\nstart=200000, size=2048\nstart=204800\n' |
		sfdisk -q "$image"
}

find_kernel
make_disk
make_guest "$tree" guest/connect.sh fio
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci loop' "$tree" | sed 's/^/# /'
serve 0 file "$image"

vm_memory=768
guest_tests "$work/initramfs" "test.port=$port test.size=$size"
finish
