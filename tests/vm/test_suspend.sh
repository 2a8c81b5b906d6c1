#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that are suspended to RAM, for hours on their clock, and keep their
# address and root.  Needs root.  ROUNDS repeats all but the last suspend.  TAP on
# standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

find_kernel
# Linux 6.1 does not resume if it was started by the entry of vmlinux (PVH)
vmlinux=$kernel
root_tree "$tree" guest/suspend.sh
copy_program "$tree" ip
ext4_of "$tree" "$work/ext4"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 ipv6? tcp_diag?' |
	sed 's/^/# /'

# shellcheck source=tests/netns.sh
. "$here/../netns.sh"
# shellcheck source=tests/vm/lan.sh
. "$here/lan.sh"
vm_cpus=1
vm_memory=256
vm_taps=t0
lan_up

# The clock of QEMU's real-time clock and of the DHCP server is ahead by this.
export CLOCK_AHEAD="$work/ahead"
echo 0 >"$CLOCK_AHEAD"
gcc -O2 -shared -fPIC -o "$work/clock.so" "$here/clock.c"

# clocked COMMAND...
clocked()
{
	export LD_PRELOAD="$work/clock.so"
	"$@"
	unset LD_PRELOAD
}

# server [OPTION...]: starts dnsmasq, which knows no lease.  It serves 192.0.2.0/24,
# too, but not as the only server of the network (dhcp-authoritative): it ignores
# requests to renew a lease that it does not know.
server()
{
	[ "${server-}" ] && lan_stop
	clocked dhcpd_on br0 192.0.2.50 192.0.2.99 --enable-ra "$@"
	[ $# = 0 ] || listens -u 547 "$server" "$work/dnsmasq.log"
}

# Starts nbdkit, in place of the one that runs.
disk()
{
	[ ! "${nbdkit-}" ] || {
		end_server -9 "$nbdkit"
	}
	export_on 10809 file "$work/ext4"
	nbdkit=${nbdkits##* }
}

# event NAME: waits for one of QEMU
event()
{
	while read -r text <&6; do
		echo "# $text" >>"$work/log"
		case $text in
		*"$1"*) return ;;
		esac
	done
	die "no event $1"
}

# start WORDS: a machine that waits for a line to suspend itself
start()
{
	mkfifo "$work/qmp.in" "$work/qmp.out" "$work/keys"
	exec 5<>"$work/qmp.in" 6<>"$work/qmp.out" 7<>"$work/keys"
	vm_keys=$work/keys
	clocked vm_start "$work/initramfs" "loglevel=4 nbdboot.timeout=100 $1" \
		-chardev "pipe,id=qmp,path=$work/qmp" \
		-mon chardev=qmp,mode=control
	event '"QMP"'
	echo '{"execute":"qmp_capabilities"}' >&5
	vm_wait 'guest: up' || true
}

# nap SECONDS [COMMAND...]: suspends it for so long, runs the command meanwhile,
# and lets it use its root
nap()
{
	echo nap >&7
	event '"SUSPEND"'
	seconds=$1
	shift
	echo $(($(cat "$CLOCK_AHEAD") + seconds)) >"$CLOCK_AHEAD"
	"$@"
	seen=$(($(wc -l <"$work/dnsmasq.log") + 1))
	echo '{"execute":"system_wakeup"}' >&5
	vm_wait 'guest: nap * read' || true
}

# ms by which suspends may seem shorter: the clock that goes on counts seconds
rtc=4000

# heard PATTERN SENTENCE: the DHCP server has a line of it since then, or soon
heard()
{
	if tail -n "+$seen" -f --pid="$vm" "$work/dnsmasq.log" |
		grep -q -m 1 -e "$1"; then
		ok "$2"
	else
		not_ok "$2"
		show "$work/dnsmasq.log"
	fi
}

# nap_ends [renew]: lets the machine print its state, or first wait for a line of
# the process that renews the lease
nap_ends()
{
	echo "${1-}" >&7
	vm_wait 'guest: nap * over' || true
}

# Prints when the lease of the latest state began, and the addresses.
since()
{
	sed -n 's/^guest: .* since //p' "$work/log" | tail -n 1
}

addresses()
{
	sed -n 's/^guest: .* has //p' "$work/log" | sort -u | tr '\n' ' '
}

# one_of PREFIX: there was one address, which begins so, and lasts for ever
one_of()
{
	# shellcheck disable=SC2046 # words on purpose
	set -- "$1" $(addresses)
	[ $# = 3 ] && [ "$3" = forever ] && [ "${2#"$1"}" != "$2" ]
}

# finish_machine SENTENCE ADDRESS
finish_machine()
{
	echo end >&7
	vm_end
	exec 5>&- 6>&- 7>&-
	rm "$work/qmp.in" "$work/qmp.out" "$work/keys"
	ended "$1: no I/O error, and it is still watched" '!^guest: WRONG' \
		'^guest: watched by 1$' '!Kernel panic' \
		'nbdboot: all is unmounted and disconnected$'
	ended "$1: the kernel reports a suspend, so nobody looks for one" \
		'^guest: timer of @nbdboot renew'
	check "$1: the address is the same all the time: $(addresses)" \
		one_of "$2"
}

# ---- DHCPv6 ----

disk
server --dhcp-range=2001:db8::100,2001:db8::1ff,64,3600
start 'root=nbd://[2001:db8::1]/ ip=dhcp6'
round=0
while [ $((round += 1)) -le "${ROUNDS:-1}" ]; do
	began=$(since)
	nap 600 disk
	heard 'DHCPCONFIRM(br0)' 'after a suspend the lease is confirmed'
	heard 'DHCPREPLY(br0)' 'and the server answers'
	nap_ends
	check 'a confirmed lease is no new one' [ "$(since)" = "$began" ]
	check 'it slept for ten minutes, and its server was another one then' \
		eval "said 'nap [0-9]* of [56][0-9][0-9] s' &&
			said 'nap [0-9]*: the root is read'"
	nap 10000 disk
	heard 'DHCPSOLICIT(br0)' 'a lease that has ended meanwhile is asked for'
	heard 'DHCPREPLY(br0) 2001:db8::1' 'and is had again'
	nap_ends
	check 'it began when the machine went on' \
		[ "$(since)" -ge $((began + 10600000 - rtc)) ]
done
# dnsmasq answers where it has an address itself
at "$srv" ip addr add 2001:db8:1::1/64 dev br0 nodad
nap 600 server --dhcp-range=2001:db8:1::100,2001:db8:1::1ff,64,3600
heard 'DHCPCONFIRM(br0)' 'a server of another network is asked, too'
heard 'DHCPSOLICIT(br0)' 'and, as it says NotOnLink, any other'
nap_ends renew
finish_machine DHCPv6 2001:db8::1
check 'NotOnLink is reported' said '^guest: renew: eth0: .*(NotOnLink)'

# ---- DHCPv4 ----

server
start 'root=nbd://192.0.2.1/ ip=dhcp'
began=$(since)
nap 600 disk
heard 'DHCPREQUEST(br0)' 'DHCPv4: after a suspend the lease is renewed'
heard 'DHCPACK(br0)' 'DHCPv4: and the server answers'
nap_ends
check 'DHCPv4: the lease is a new one' \
	[ "$(since)" -ge $((began + 600000 - rtc)) ]
nap 10000
heard 'DHCPDISCOVER(br0) 192' \
	'DHCPv4: a lease that has ended is asked for, with its address'
heard 'DHCPACK(br0)' 'DHCPv4: and is had again'
nap_ends
finish_machine DHCPv4 192.0.2.
finish
