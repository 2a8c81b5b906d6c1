#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot by the name nbd-client, and Debian's nbd-client beside it, with a
# kernel, in one machine.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
image=$work/disk

find_kernel
truncate -s 64M "$image"
printf 'label: gpt\nstart=2048, size=2048\n' | sfdisk -q "$image"
make_guest "$tree" guest/nbd-client.sh nbd-client
mv "$tree/bin/nbd-client" "$tree/bin/theirs"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci' "$tree" | sed 's/^/# /'
serve 0 file "$image"

vm_memory=768
guest_tests "$work/initramfs" "test.port=$port"
finish
