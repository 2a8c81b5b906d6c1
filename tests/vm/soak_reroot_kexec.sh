#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A machine with busybox moves into other roots with the kernel of these: to TLS,
# from it, from a disk.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-1800}
# shellcheck source=tests/vm/reroot.sh
. "${0%/*}/reroot.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

# boots_into NAME SENTENCE ROOT WORDS: by another start of a kernel
boots_into()
{
	first=$(boot_id)
	tell "nbdboot reroot --kexec $4"
	check "$2" arrives "$1"
	check "$2: the root is that" said "guest: root is $3 rw"
	last=$(boot_id)
	check "$2: the kernel has started anew" started_anew
}

find_kernel
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/server"
make_small
mkdir -p "$small/etc/nbdboot" "$work/tls"
cp "$work/pki/ca-cert.pem" "$small/etc/nbdboot"
cp "$work/pki/ca-cert.pem" "$work/tls"
rescue_initramfs "$work/tls"
tree=$small
add_kernel
image a "$small" 80M
image b "$small" 80M
image local "$small" 80M
start a
start b --tls=require --tls-certificates="$work/server"
a="nbd://$host:$port_a/"
b="nbds://$host:$port_b/?tls-certificates=/etc/nbdboot"
vm_memory=384
start_machine "$work/initramfs" "rdinit=/rescue guest.root=$a" \
	-action reboot=reset -drive "file=$work/local,format=raw,if=virtio"
check 'a machine is up' arrives a
boots_into b 'to a server with TLS' '/dev/nbd0 ext4' "'$b'"
check 'the kernel has the keys' succeeds \
	"grep 'TlsCurrTx[A-Z][a-z]*[[:space:]]*1\$' /proc/net/tls_stat"
boots_into a 'and back' '/dev/nbd0 ext4' "$a"
tell 'nbdboot reroot local:/dev/vda'
check 'to a disk, under that kernel' arrives local
boots_into a 'from there to a server' '/dev/nbd0 ext4' "$a"
vm_stop
finish
