#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Copies whose records the kernel makes, in one machine: both ways, over an
# outage, with records that are no data, and with kernels that lack a part.  TAP
# on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

tree=$work/tree
programs=${O%/t/product}/t/survive

find_kernel
(cd "$here/../.." && unset MAKEFLAGS MFLAGS MAKEOVERRIDES &&
	make -s -j2 O="$programs" CC=gcc CFLAGS='-O1 -g' STATIC= \
		"$programs/tests/vm/records") >"$work/make" 2>&1 ||
	die "records.c does not compile: $(cat "$work/make")"
make_guest "$tree" guest/tls_copy.sh
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$tree/tls"
mkdir "$tree/ca"
cp "$work/pki/ca-cert.pem" "$tree/ca/"
printf 'alice:%064d\n' 123456789 >"$tree/tls/psk"
chmod 600 "$tree/tls/psk"
cp "$programs/tests/vm/records" "$tree/bin/"
copy_libs "$programs/tests/vm/records"
initramfs "$work/initramfs" 'tls aesni_intel gcm ctr ghash_generic?
	chacha20poly1305 chacha? chacha_generic? poly1305_generic?' \
	"$tree" | sed 's/^/# /'

vm_memory=768
guest_tests "$work/initramfs" \
	test.suite=TLS-ECDHE-ECDSA-WITH-CHACHA20-POLY1305-SHA256
finish
