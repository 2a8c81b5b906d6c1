#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# More and fewer connections, several servers, servers that come back with
# another export, answers that are cut, and commands that are interrupted.
# ROUNDS and STORMS make it longer.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-1200}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

find_kernel
make_guest "$tree" guest/scale.sh ${MAPPED:+dmsetup} fio chrt
cp "$here/guest/outage.sh" "$tree/outage"
cp "$here/guest/starved.sh" "$tree/starved"
gcc -O2 -static -std=c11 -D_GNU_SOURCE -o "$tree/bin/faults" \
	"$here/../interop/faults.c" || die 'faults.c does not compile'
initramfs "$work/initramfs" 'nbd tcp_diag unix_diag virtio_net virtio_pci' "$tree" | sed 's/^/# /'
qemu_port=$(free_port)
truncate -s 64M "$work/disk"
daemon_at "$qemu_port" qemu-nbd -p "$qemu_port" -b 127.0.0.1 -t -e 8 --shared=8 -f raw "$work/disk"
# as many queues as connections
vm_cpus=4
vm_memory=768
guest_tests "$work/initramfs" "test.rounds=${ROUNDS:-3} \
test.storms=${STORMS:-20} test.pauses=${PAUSES-} test.mapped=${MAPPED-} test.port=$qemu_port"
finish
