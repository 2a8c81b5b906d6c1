#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A machine with the CPU of ARCH (make ARCH=) and Debian's kernel for it: it boots
# from a server with TLS, copies an export, and connects and disconnects it.  TAP
# on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

tree=$work/tree
O=$O/t/cpu-$ARCH
nbdboot=$O/nbdboot

(
	unset MAKEFLAGS MFLAGS MAKEOVERRIDES CC CFLAGS STATIC
	make -s -j2 ARCH="$ARCH" O="$O" all >"$work/log" 2>&1
) || {
	show "$work/log"
	die 'the program does not build'
}
find_kernel
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/server"
mkdir "$work/credentials"
cp "$work/pki/ca-cert.pem" "$work/credentials"
root_tree "$tree" guest/cpu.sh
cp "$nbdboot" "$tree/bin"
ext4_of "$tree" "$work/ext4"
initramfs "$work/initramfs" 'nbd virtio_net ext4 virtio_pci virtio_mmio' '' \
	"$work/credentials" | sed 's/^/# /'
head -c 3000000 /dev/urandom >"$work/file"
truncate -s 4M "$work/file"
sum=$(sha256sum <"$work/file")
sum=${sum%% *}
serve 0 file "$work/file"
other=nbd://$host:$port/
serve 0 --tls=require --tls-certificates="$work/server" file "$work/ext4"

vm_start "$work/initramfs" "ip=$guest_ip loglevel=4 rw \
root=nbds://$host:$port/?tls-certificates=/etc/nbdboot guest.uri=$other"
vm_end
ended "it boots from a server with TLS ($(sed -n 's/^guest: cpu is //p' \
	"$work/log"))" '^guest: root is /dev/nbd0 ext4 rw$'
shows 'its connection is watched' '^guest: watched: nbd0$'
shows 'it copies' "^guest: copied $sum$"
shows 'it connects a second device' '^guest: nbd1 has 8192 sectors$' \
	"^guest: it holds $sum$" '^guest: status: nbd1: 1 live, 0 dead' \
	'^guest: it is disconnected$'
shows 'the kernel does not complain' '!Kernel panic' '!BUG:' '!Oops' \
	'!I/O error'
check 'what the machine wrote is on the server' \
	[ "$(debugfs -R 'cat /written' "$work/ext4" 2>/dev/null)" = written ]
finish
