#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot by the name nbd-client, and Debian's nbd-client beside it, with a
# kernel, in one machine.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

tree=$work/tree
image=$work/disk
pki=$work/pki

find_kernel
truncate -s 64M "$image"
printf 'label: gpt\nstart=2048, size=2048\n' | sfdisk -q "$image"
make_guest "$tree" guest/nbd-client.sh nbd-client nbd-server fdisk mke2fs
mv "$tree/bin/nbd-client" "$tree/bin/theirs"
cat "$here/guest/nbd-group.sh" >>"$tree/tests"
gcc -O2 -static -o "$tree/bin/nbd-ioctl" \
	"$here/guest/nbd-ioctl.c" || die 'nbd-ioctl.c does not compile'
pki "$pki"
pki_server "$pki" server ecdsa
pki_cert "$pki" client ecdsa 'cn = "client"' signing_key tls_www_client
pki_use "$pki" server "$work/server"
mkdir "$tree/tls"
cp "$pki/ca-cert.pem" "$pki/client-cert.pem" "$pki/client-key.pem" "$tree/tls/"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 tls aesni_intel gcm
	ctr ghash_generic?' "$tree" | sed 's/^/# /'
serve 0 --tls=require --tls-verify-peer --tls-certificates="$work/server" \
	file "$image"
words="test.tls=$port"
serve 0 file "$image"

vm_memory=768
guest_tests "$work/initramfs" "test.port=$port $words"
finish
