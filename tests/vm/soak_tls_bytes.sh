#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GIB GiB over one connection of a device, half of them read, half written, with
# each kind of cipher: not one I/O error, and no other connection.  It has TLS 1.2,
# or with VERSION=1.3 that of a server that has no other.  The server has the null
# plugin.  TAP on standard output.
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
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci tls tcp_diag
	aesni_intel gcm ctr ghash_generic? chacha20poly1305
	chacha? chacha_generic? poly1305_generic?' "$tree" | sed 's/^/# /'

# offers VERSION CIPHER: servers that start from now on lack what a device would
# take in their place; of the versions that is TLS 1.2
offers()
{
	printf '[overrides]\n' >"$work/priority"
	[ "$1" != 1.3 ] || printf 'disabled-version = tls%s\n' 1.0 1.1 1.2 \
		>>"$work/priority"
	[ "$2" != ChaCha20-Poly1305 ] || printf 'tls-disabled-cipher = aes-%s\n' \
		128-gcm 256-gcm 128-ccm 256-ccm >>"$work/priority"
}
export GNUTLS_SYSTEM_PRIORITY_FILE="$work/priority"

version=${VERSION:-1.2}
words="test.gib=$gib test.version=$version"
for cipher in ${CIPHERS:-ChaCha20-Poly1305 AES-GCM}; do
	offers "$version" "$cipher"
	serve 0 --tls=require --tls-certificates="$work/tls" null "${gib}G"
	words="$words test.$cipher=$port"
done
vm_memory=512
vm_vector=1
guest_tests "$work/initramfs" "$words"
finish
