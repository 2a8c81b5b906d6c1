#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot.efi and servers with TLS: one machine that has no random numbers, one
# that gets a key and a certificate as variables, and one with six disks to boot
# from, of which five name a server that must be refused.  TAP on standard
# output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

vendor=9bd1b1c7-2b4a-4e0d-8a57-6e6264626f6f

# variable FILE N.NAME: for set_variables; non-volatile, boot and runtime
variable()
{
	printf '\007\0\0\0' | cat - "$1" >"$work/variables/$2-$vendor"
}

build_efi tls
find_kernel
for name in ours other; do
	pki "$work/$name"
	pki_server "$work/$name" server ecdsa
	mkdir "$work/$name-ca"
	cp "$work/$name/ca-cert.pem" "$work/$name-ca"
done
pki_use "$work/ours" server "$work/server"
pki_server "$work/ours" old ecdsa 'activation_date = "2020-01-01 00:00:00"' \
	'expiration_date = "2020-02-29 00:00:00"'
pki_use "$work/ours" old "$work/old"
pki_cert "$work/ours" client ecdsa 'cn = "client"' signing_key tls_www_client
cp "$work/ours"/client-*.pem "$work/ours-ca"
key=alice:$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')
echo "$key" >"$work/psk"
chmod 600 "$work/psk"

root_tree "$work/tree" guest/boot.sh
echo tls >"$work/tree/etc/marker"
ext4_of "$work/tree" "$work/ext4"
mkdir "$work/served"
esp_of "$esp" "$efi" unused
efi_disk "$work/served/disk" "$esp" "$work/ext4"
cp "$kernel" "$work/served/vmlinuz"
truncate -s 4096 "$work/served/zeroes" # as may be between archives
initramfs "$work/served/initramfs" 'nbd virtio_net virtio_pci ext4 tls
	aesni_intel gcm ctr ghash_generic?' '' "$work/ours-ca" >/dev/null

# without VERSION...: servers that start from now on lack these
without()
{
	printf '[overrides]\n' >"$work/priority"
	printf 'disabled-version = tls%s\n' "$@" >>"$work/priority"
}
export GNUTLS_SYSTEM_PRIORITY_FILE="$work/priority"

# serves ARGUMENT...: the directory, with TLS
serves()
{
	serve 0 --tls=require "$@" file dir="$work/served"
}
serve 0 file dir="$work/served"
plain=$port
without 1.0 1.1
serves --tls-certificates="$work/old"
old=$port
without 1.3
serves --tls-certificates="$work/server" --tls-verify-peer
x509=$port
serves --tls-psk="$work/psk"
psk=nbds://alice@$host:$port
without 1.0 1.1 1.2
serves --tls-certificates="$work/server" --tls-verify-peer
x509_13=$port
serves --tls-psk="$work/psk"
psk_13=nbds://alice@$host:$port

mkdir "$work/variables"
variable "$work/psk" 1.key
variable "$work/ours/ca-cert.pem" 2.ca-cert.pem
set_variables "$work/variables" 'the firmware takes a key and a certificate'

ca="?tls-certificates=/etc/nbdboot"
drive_files="$work/other-ca/ca-cert.pem etc/nbdboot/ca-cert.pem"
drive "$efi" "root=nbds://$host:$x509/disk$ca"
# shellcheck disable=SC2046,SC2086 # words on purpose
uefi_start $(user_net '') $drives -cpu "$vm_cpu,rdrand=off"
vm_wait '*back to the firmware*' || true
vm_stop
shows 'without random numbers TLS is refused' \
	'FAILED: .*no EFI_RNG_PROTOCOL, and the CPU no RDRAND'

# with the certificate in the variable
drive_files=''
drive "$efi" "root=nbds://$host:$old/disk$ca"
for file in ca-cert.pem client-cert.pem client-key.pem; do
	drive_files="$drive_files $work/ours-ca/$file etc/nbdboot/$file"
done
drive "$efi" "root=nbds://$host:$plain/disk$ca"
drive "$efi" "root=nbds://$host:$x509/disk"
drive "$efi" "root=$psk/disk?tls-psk-file=/no-key"
drive "$efi" "root=nbds://$host:$x509/disk$ca nbdboot.part=2 rw panic=1" \
	"kernel=$psk/vmlinuz?tls-psk-file=/etc/key" \
	"initrd=$psk_13/initramfs?tls-psk-file=/etc/key" \
	"initrd=nbds://$host:$x509_13/zeroes$ca" \
	"$kernel_words loglevel=4 nbdboot.connections=4"
# shellcheck disable=SC2046,SC2086 # words on purpose
uefi_start $(user_net '') $drives
booted 'certificates of both for the root, a key for the kernel' \
	'/dev/nbd0p2 ext4 rw' tls
shows 'a server with a certificate of another CA is refused' \
	'FAILED: .*not signed by a CA that is trusted here'
shows 'so is one whose certificate is too old' \
	'FAILED: .*expired since 2020-02-29'
shows 'so is one without TLS' 'FAILED: .*does not offer TLS'
shows 'so is one where no CA was named' 'FAILED: .*no CA certificate was named'
shows 'so is one whose key is not there' \
	'FAILED: .*/no-key: neither a file of the volume'
finish
