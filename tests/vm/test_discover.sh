#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines whose server moves to another address while it is away, and is found
# by DNS.  Needs root.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
image=$work/ext4
port_of_disk=10809

find_kernel
root_tree "$tree" guest/discover.sh
mkdir -p "$tree/var"
ext4_of "$tree" "$image"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 tcp_diag' |
	sed 's/^/# /'

# shellcheck source=tests/netns.sh
. "$here/../netns.sh"
# shellcheck source=tests/vm/lan.sh
. "$here/lan.sh"
lan_up
at "$srv" ip addr add 192.0.2.2/24 dev br0
vm_taps=t0

# names RECORD...: the name server knows these, and no others
names()
{
	[ ! "${named-}" ] || unnamed
	dhcpd_on br0 192.0.2.50 192.0.2.99 "$@"
	named=$server
}

unnamed()
{
	end_server "$named"
	named=''
}

# serves ADDRESS [NBDKIT-ARGUMENT...]: the disk is at that address
serves()
{
	address=$1
	shift
	nbdkit_at "$address" -p "$port_of_disk" "$@" file "$image"
}

away()
{
	end_server -9 "$nbdkit"
}

# lives: the root answers
lives()
{
	for _ in 1 2 3; do
		vm_wait 'guest: beat *' || return
	done
}

# begins ROOT
begins()
{
	vm_start "$work/initramfs" "loglevel=6 rw ip=dhcp rootfstype=ext4 root=$1"
	check "$1: the root answers" lives
}

# is_lost ADDRESS: the watcher has seen that nobody is there
is_lost()
{
	check "$1 is away" \
		vm_wait "*nbd0: *connect to $1 port 10809: connection refused*"
}

# is_found SENTENCE LINE: the watcher prints the line, and the root answers
is_found()
{
	check "$1" vm_wait "*nbdboot: nbd0: $2"
	check "$1: the root answers" lives
}

# ends SENTENCE
ends()
{
	vm_stop
	shows "$1" '!guest: WRONG' '!Kernel panic'
	away
}

# ---- a name ----

names --host-record=srv.example,192.0.2.1
serves 192.0.2.1
begins nbd://srv.example/
away
is_lost 192.0.2.1
names --host-record=srv.example,192.0.2.2
serves 192.0.2.2
is_found 'a server that has moved is found' 'srv.example is at 192.0.2.2 now'
away
unnamed
is_lost 192.0.2.2
serves 192.0.2.2
check 'one that comes back is found without a name server' lives
away
is_lost 192.0.2.2
serves 192.0.2.1
names --host-record=srv.example,192.0.2.1
is_found 'a name server that comes back is asked' \
	'srv.example is at 192.0.2.1 now'
ends 'nothing was lost, and no file was needed'

# ---- a service ----

# service TARGET,PORT,PRIORITY... of hosts a and b
service()
{
	set -- "$(printf ' --srv-host=_nbd._tcp.example,%s' "$@")"
	# shellcheck disable=SC2086 # words on purpose
	names --host-record=a.example,192.0.2.1 \
		--host-record=b.example,192.0.2.2 $1
}

service a.example,10809,10 b.example,10809,20
serves 192.0.2.2
begins nbd://_nbd._tcp.example/
away
is_lost 192.0.2.2
serves 192.0.2.1
check 'another server of the service takes over' lives
away
is_lost 192.0.2.2
service a.example,10808,10
port_of_disk=10808
serves 192.0.2.1
is_found 'one at another port is found' \
	'_nbd._tcp.example is at 192.0.2.1 now'
ends 'nothing was lost with a service'
finish
