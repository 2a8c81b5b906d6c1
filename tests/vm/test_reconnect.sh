#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Outages in one machine that runs the servers too: killed, frozen, cut off,
# gone.  ROUNDS and OUTAGE (s) make it longer, and PAUSES=1 sets a limit to the
# longest pause.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-1200}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

tree=$work/tree
pki=$work/pki

find_kernel
make_guest "$tree" guest/reconnect.sh ${MAPPED:+dmsetup} fio nft
pki "$pki"
pki_server "$pki" ecdsa ecdsa 'ip_address = "192.0.2.1"'
pki_use "$pki" ecdsa "$tree/tls"
cp "$here/guest/outage.sh" "$tree/outage"
initramfs "$work/initramfs" 'nbd tcp_diag unix_diag nf_tables crc32c_generic? tls
	aesni_intel gcm ctr ghash_generic?' "$tree" | sed 's/^/# /'
vm_memory=768
guest_tests "$work/initramfs" "test.rounds=${ROUNDS:-2} \
test.outage=${OUTAGE:-5} test.pauses=${PAUSES-} test.mapped=${MAPPED-}"
finish
