#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# More and fewer connections, several servers, servers that come back as
# another one.  ROUNDS and STORMS make it longer.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-1200}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

find_kernel
make_guest "$tree" scale-tests.sh fio
cp "$here/outage.sh" "$tree/outage"
initramfs "$work/initramfs" 'nbd tcp_diag unix_diag' "$tree" | sed 's/^/# /'
vm_memory=768
guest_tests "$work/initramfs" "test.rounds=${ROUNDS:-3} \
test.storms=${STORMS:-20}"
finish
