#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# TLS in the kernel, in one machine: certificates and pre-shared keys, every
# cipher, 1 and 4 connections.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-900}
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

tree=$work/tree
image=$work/disk
pki=$work/pki
size=$((128 * 1048576))
words=test.size=$size

find_kernel
truncate -s "$size" "$image"
make_guest "$tree" guest/tls.sh fio
pki "$pki"
pki_server "$pki" rsa rsa
pki_server "$pki" ecdsa ecdsa
pki_cert "$pki" client ecdsa 'cn = "client"' signing_key tls_www_client
pki_use "$pki" rsa "$work/rsa"
pki_use "$pki" ecdsa "$work/ecdsa"
mkdir -p "$tree/tls"
cp "$pki/ca-cert.pem" "$pki/client-cert.pem" "$pki/client-key.pem" "$tree/tls/"
mkdir "$tree/ca"
cp "$pki/ca-cert.pem" "$tree/ca/"
printf 'alice:%064d\n' 123456789 | tee "$work/psk" >"$tree/tls/psk"
chmod 600 "$tree/tls/psk"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci tls tcp_diag
	aesni_intel gcm ctr ghash_generic? chacha20poly1305
	chacha? chacha_generic? poly1305_generic?' \
	"$tree" | sed 's/^/# /'

serve 0 --tls=require --tls-certificates="$work/rsa" file "$image"
words="$words test.rsa=$port"
serve 0 --tls=require --tls-verify-peer --tls-certificates="$work/ecdsa" \
	file "$image"
words="$words test.ecdsa=$port"
serve 0 --tls=require --tls-psk="$work/psk" file "$image"
words="$words test.psk=$port"
# Servers that have TLS 1.3 alone.
printf '[overrides]\ndisabled-version = tls1.%s\n' 0 >"$work/priority"
printf 'disabled-version = tls1.%s\n' 1 2 >>"$work/priority"
export GNUTLS_SYSTEM_PRIORITY_FILE="$work/priority"
serve 0 --tls=require --tls-verify-peer --tls-certificates="$work/ecdsa" \
	file "$image"
words="$words test.ecdsa13=$port"
serve 0 --tls=require --tls-psk="$work/psk" file "$image"
words="$words test.psk13=$port"
unset GNUTLS_SYSTEM_PRIORITY_FILE
# A server that allows only the cipher that the test names.
for cipher in AES-256-GCM CHACHA20-POLY1305; do
	free=$(free_port)
	qemu-nbd -p "$free" -b 127.0.0.1 -t -e 8 --shared=8 -f raw \
		--fork --pid-file="$work/$cipher.pid" \
		--object "tls-creds-x509,id=t,dir=$work/ecdsa,endpoint=server,verify-peer=no,priority=NORMAL:-CIPHER-ALL:+$cipher" \
		--tls-creds t "$image"
	servers="$servers $(cat "$work/$cipher.pid")"
	words="$words test.$cipher=$free"
done
cipher=CHACHA20-POLY1305 free=$(free_port)
qemu-nbd -p "$free" -b 127.0.0.1 -t -e 8 --shared=8 -f raw \
	--fork --pid-file="$work/13.pid" \
	--object "tls-creds-x509,id=t,dir=$work/ecdsa,endpoint=server,verify-peer=no,priority=NORMAL:-CIPHER-ALL:+$cipher:-VERS-ALL:+VERS-TLS1.3" \
	--tls-creds t "$image"
servers="$servers $(cat "$work/13.pid")"
words="$words test.qemu13=$free"

vm_memory=768
guest_tests "$work/initramfs" "$words"
finish
