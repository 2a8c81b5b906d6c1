# shellcheck shell=sh disable=SC2154,SC2034
# SPDX-License-Identifier: BSD-2-Clause
# Machines whose root is written and read for ever (guest/survive.sh), while
# their server fails.  Sourced behind lib.sh.
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

tree=$work/tree
pki=$work/pki
image=$work/image
port_of_root=$(free_port)
# Linux 7.2 counts a page more than 6.1.
page=0
[ "${VM_SUITE-}" != testing ] || page=4
watcher_plain=$((136 + page))
watcher_tls=$((428 + page))
root_of_tls="root=nbds://$host:$port_of_root/?tls-certificates=/etc/nbdboot"

make_image()
{
	root_tree "$tree" guest/survive.sh
	mkdir -p "$tree/var" "$tree/mnt"
	ext4_of "$tree" "$work/root"
	truncate -s 640M "$image"
	printf '%s\n' 'label: gpt' 'start=2048, size=65536' \
		'start=69632, size=786432' 'start=864256, size=262144' |
		sfdisk -q "$image"
	dd if="$work/root" of="$image" bs=1M seek=1 conv=notrunc status=none
}

# start_server [NBDKIT-ARGUMENT...]
# One thread for each client: see server() in guest/outage.sh.
start_server()
{
	serve "$port_of_root" -t 1 "$@" file "$image"
}

# Waits for some more beats: the root answers.
lives()
{
	for _ in 1 2 3; do
		vm_wait 'guest: beat *' || return
	done
}

# The most KiB of memory that the watcher may have beside the program, all of
# which it locks; at the start and at the end.
is_small()
{
	sed -n 's/^guest: watcher @.*- \([0-9]*\) KiB$/\1/p' "$work/log" |
		awk -v max="$((WATCHER_MAX + $(wc -c <"$nbdboot") / 1024))" '$1 <= max { n++ }
			END { exit n != 2 }'
}

# went SENTENCE: the machine ran to its end without errors
went()
{
	vm_end
	if said '^guest: end$' && ! said '^guest: WRONG' &&
		! said 'Kernel panic' && is_small; then
		ok "$1"
		grep '^guest: watcher' "$work/log" | sed 's/^/# /'
	else
		not_ok "$1"
		show "$work/log"
	fi
}

# begins WORDS: starts a machine, until its root answers
begins()
{
	second_port
	vm_start "$work/initramfs" "rw ip=$guest_ip test.mode=beats \
nbdboot.part=1 nbdboot.io-timeout=5 $1"
	lives
}

# ends: the machine of $sentence ends, and looks back
ends()
{
	echo >&4
	went "$sentence: nothing was lost, and the watcher lives"
	exec 4>&-
	vm_port=
	unserve
}

find_kernel
make_image
pki "$pki"
pki_server "$pki" ecdsa ecdsa
pki_use "$pki" ecdsa "$work/ecdsa"
mkdir "$work/tls"
cp "$pki/ca-cert.pem" "$work/tls/"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 tcp_diag tls
	aesni_intel gcm ctr ghash_generic?' '' "$work/tls" | sed 's/^/# /'
