#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GIB GiB over one connection of a device with TLS 1.2, half of them read, half
# written, with each kind of cipher: not one I/O error, and no other connection.
# The server has the null plugin.  TAP on standard output.
#
# A GiB takes 7 s of a processor with ChaCha20, half of it in User-mode Linux and
# half in nbdkit (AMD EPYC), so that GIB=1024 takes two hours of one processor.
VM_LIMIT=${VM_LIMIT:-86400}
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

tree=$work/tree
gib=${GIB:-64}
case $gib in '' | *[!0-9]*) die "GIB=$gib is no number" ;; esac

find_kernel
make_guest "$tree" guest/tls_bytes.sh
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/tls"
mkdir -p "$tree/tls"
cp "$work/pki/ca-cert.pem" "$tree/tls/"
printf 'alice:%064d\n' 123456789 | tee "$work/psk" >"$tree/tls/psk"
chmod 600 "$tree/tls/psk"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci tls tcp_diag
	aesni_intel gcm ctr ghash_generic? chacha20poly1305
	chacha? chacha_generic? poly1305_generic?' "$tree" | sed 's/^/# /'

words="test.gib=$gib"
for cipher in ${CIPHERS:-ChaCha20-Poly1305 AES-GCM}; do
	case $cipher in
	AES-GCM) serve 0 --tls=require --tls-certificates="$work/tls" \
		null "${gib}G" ;;
	*) serve 0 --tls=require --tls-psk="$work/psk" null "${gib}G" ;;
	esac
	words="$words test.$cipher=$port"
done
vm_memory=512
vm_vector=1
guest_tests "$work/initramfs" "$words"
finish
