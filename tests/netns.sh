# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Network namespaces as machines, with cables and servers between them.
# Sourced after tap.sh.  All of it goes away with the processes in $servers.
# srv and cli are the caller's: the namespaces at the ends of a cable.
# shellcheck disable=SC2154
PATH=$PATH:/sbin:/usr/sbin
[ "$(id -u)" = 0 ] || die "network namespaces need root"

# namespace: a network and a /run of its own, kept by a process that waits.
# Sets ns to its pid.
namespace()
{
	# new ones: the last writer of an old one may still be there
	namespaces=$((${namespaces:-0} + 1))
	ready=$work/ready$namespaces
	mkfifo "$ready" "$ready.never"
	# shellcheck disable=SC2016 # for the inner shell
	unshare -n -m sh -c 'mount -t tmpfs run /run && ip link set lo up &&
		echo ready >"$1" && read -r x <"$2"' sh \
		"$ready" "$ready.never" &
	ns=$!
	servers="$servers $ns"
	read -r word <"$ready"
	[ "$word" = ready ] || die "no network namespace"
}

# at PID COMMAND...  Not for the background: $! would be a shell's, not the
# command's.
at()
{
	at_pid=$1
	shift
	nsenter -t "$at_pid" -n -m "$@"
}

# cable SERVER-SIDE CLIENT-SIDE: from $srv to $cli
cable()
{
	at "$srv" ip link add "$1" type veth peer name "$2" netns "$cli"
	at "$srv" ip link set "$1" up
}

# listens PROTOCOL PORT PID LOG: waits for a server in $srv
listens()
{
	until at "$srv" ss -Hln "$1" | grep -q ":$2 "; do
		kill -0 "$3" 2>/dev/null || die "no server: $(cat "$4")"
	done
}

# dhcpd_on INTERFACE FIRST LAST OPTION...: dnsmasq in $srv, for a /24.  Sets
# server to its pid; its log is $dhcpd_log, or $work/dnsmasq.log, its
# leases are for $dhcpd_lease (s), or 3600.
dhcpd_on()
{
	dhcpd_log=${dhcpd_log:-$work/dnsmasq.log}
	dhcpd_on=$1
	dhcpd_range=$2,$3,255.255.255.0,${dhcpd_lease:-3600}
	shift 3
	: >"$dhcpd_log.leases"
	nsenter -t "$srv" -n -m \
		dnsmasq -C /dev/null -k -i "$dhcpd_on" --bind-interfaces \
		--no-resolv --no-hosts --no-ping --log-dhcp --log-facility=- \
		--dhcp-leasefile="$dhcpd_log.leases" --user=root \
		--dhcp-range="$dhcpd_range" \
		"$@" >"$dhcpd_log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -u 67 "$server" "$dhcpd_log"
}

# nbdkit_at ADDRESS ARGUMENT...: in $srv; server stays what it is, nbdkit is
# the pid.
nbdkit_at()
{
	nbdkit_ip=$1
	shift
	nsenter -t "$srv" -n -m nbdkit -f -i "$nbdkit_ip" "$@" \
		>"$work/nbdkit.log" 2>&1 </dev/null &
	nbdkit=$!
	servers="$servers $nbdkit"
	listens -t 10809 "$nbdkit" "$work/nbdkit.log"
}
