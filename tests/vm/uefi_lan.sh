# shellcheck shell=sh disable=SC2154,SC2034
# SPDX-License-Identifier: BSD-2-Clause
# Machines with firmware in the network of lan.sh: a disk with a kernel and a
# root, a server of it, one of HTTP.  Sourced, behind lib.sh.
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"
# shellcheck source=tests/netns.sh
. "$here/../netns.sh"
# shellcheck source=tests/vm/lan.sh
. "$here/lan.sh"

words="nbdboot.part=2 rw $kernel_words panic=1 loglevel=4"
direct="$words kernel=/vmlinuz initrd=/initramfs"

# machine [QEMU-ARGUMENT...]
machine()
{
	uefi_start -netdev "tap,id=net,ifname=$tap,script=no,downscript=no" \
		-device virtio-net-pci,netdev=net,romfile=,mac=52:54:00:00:00:00 \
		"$@"
}

# start WORDS
start()
{
	machine -kernel "$efi" -append "$1"
}

await()
{
	vm_wait "$1" && return
	not_ok "the console says $1"
	show "$work/log"
	return 1
}

# to_root SENTENCE PATTERN...: the machine boots to its end, and says so
to_root()
{
	vm_end
	shows "$@" '^guest: root is /dev/nbd0p2 ext4 rw$' \
		'^guest: marker is net$' '^guest: end$'
}

# serve_on PORT [NBDKIT-ARGUMENT...]: sets nbd to the pid
serve_on()
{
	serve_on_port=$1
	shift
	nbdkit_log=$work/nbdkit$serve_on_port.log
	nsenter -t "$srv" -n nbdkit -f -p "$serve_on_port" file "$disk" "$@" \
		>"$nbdkit_log" 2>&1 </dev/null &
	nbd=$!
	servers="$servers $nbd"
	listens -t "$serve_on_port" "$nbd" "$nbdkit_log"
}

# http_on FRAMING: serves $work/http, see http-answer.sh.  Sets server.
http_on()
{
	nsenter -t "$srv" -n socat TCP6-LISTEN:80,ipv6only=0,reuseaddr,fork \
		SYSTEM:"sh $here/http-answer.sh $work/http $1" \
		>"$work/http.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -t 80 "$server" "$work/http.log"
}

# disk_of_lan: the disk, with a kernel, an initramfs and a root
disk_of_lan()
{
	find_kernel
	root_tree "$work/tree" guest/boot.sh
	echo net >"$work/tree/etc/marker"
	ext4_of "$work/tree" "$work/ext4"
	initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4' >/dev/null
	esp_of "$esp" "$kernel" vmlinuz "$work/initramfs" initramfs
	efi_disk "$disk" "$esp" "$work/ext4"
}
