# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Network namespaces as machines, with cables and servers between them.
# Sourced after tap.sh.  Everything ends with the processes in $servers.  The
# caller sets srv and cli, the namespaces at the ends of a cable.
# shellcheck disable=SC2154
PATH=$PATH:/sbin:/usr/sbin
[ "$(id -u)" = 0 ] || die "network namespaces need root"

# Makes a namespace with its own network and /run, which lasts as long as a
# waiting process.  Sets ns to the pid of that.
namespace()
{
	# a new FIFO: the writer of the old one may still be there
	namespaces=$((${namespaces:-0} + 1))
	ready=$work/ready$namespaces
	mkfifo "$ready" "$ready.never"
	# The FIFO ends with the process, if that comes to nothing.
	# shellcheck disable=SC2016 # for the inner shell
	unshare -n -m sh -c 'mount -t tmpfs run /run && ip link set lo up &&
		echo ready && read -r x <"$1"' sh "$ready.never" >"$ready" &
	ns=$!
	servers="$servers $ns"
	read -r word <"$ready" || die "no network namespace"
}

# at PID COMMAND...: runs it in that namespace.  Not for the background: $!
# would be the pid of a shell, not of the command.
at()
{
	at_pid=$1
	shift
	nsenter -t "$at_pid" -n -m "$@"
}

# client_has WHAT TEXT SENTENCE: a command in the client prints TEXT
client_has()
{
	# shellcheck disable=SC2086 # words on purpose
	if at "$cli" $1 >"$work/has" 2>&1 && grep -qF -e "$2" "$work/has"; then
		ok "$3"
	else
		not_ok "$3"
		show "$work/has"
	fi
}

# ifup OPTION-OR-WORD...: brings the client's network up
ifup()
{
	run at "$cli" "$nbdboot" ifup "$@"
}

# cable SERVER-SIDE CLIENT-SIDE: a pair of interfaces between $srv and $cli
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

# dhcpd_on INTERFACE FIRST LAST OPTION...: starts dnsmasq in $srv, for a /24.
# Sets server to its pid.  Its log is $dhcpd_log (default $work/dnsmasq.log), a
# lease lasts $dhcpd_lease seconds (default 3600).
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

# nbdkit_at ADDRESS ARGUMENT...: starts nbdkit in $srv.  Sets nbdkit to its pid,
# and does not change server.
nbdkit_at()
{
	nbdkit_ip=$1
	shift
	nsenter -t "$srv" -n -m nbdkit -f -i "$nbdkit_ip" "$@" \
		>"$work/nbdkit.log" 2>&1 </dev/null &
	nbdkit=$!
	servers="$servers $nbdkit"
	listens -t "${port_of_disk:-10809}" "$nbdkit" "$work/nbdkit.log"
}

# radvd_on INTERFACE TEXT...: starts radvd in $srv, which advertises what TEXT
# says every 3 s, and answers at once.
radvd_on()
{
	at "$srv" sysctl -q "net.ipv6.conf.$1.forwarding=1"
	printf 'interface %s {\n' "$1" >"$work/radvd.conf"
	shift
	printf '%s\n' 'AdvSendAdvert on;' 'MinRtrAdvInterval 3;' \
		'MaxRtrAdvInterval 4;' "$@" '};' >>"$work/radvd.conf"
	nsenter -t "$srv" -n -m radvd -n -C "$work/radvd.conf" \
		-p "$work/radvd.pid" -m stderr >"$work/radvd.log" 2>&1 \
		</dev/null &
	radvd=$!
	servers="$servers $radvd"
}

# changes: addresses of the machine $cli that come and go from now on are in
# $work/changes
changes()
{
	: >"$work/changes"
	nsenter -t "$cli" -n -m ip monitor address >>"$work/changes" 2>&1 \
		</dev/null &
	monitor=$!
	servers="$servers $monitor"
	# it listens when it has seen one of these
	n=1
	until grep -q 'fd00::2:' "$work/changes"; do
		at "$cli" ip -6 addr add "fd00::2:$n/128" dev lo
		n=$((n + 1))
	done
}

# All that has been until now is in $work/changes.
changed()
{
	at "$cli" ip -6 addr add fd00::1/128 dev lo
	until grep -q 'fd00::1/128' "$work/changes"; do
		kill -0 "$monitor" || die 'no monitor'
	done
	kill "$monitor"
	wait "$monitor" 2>"$work/killed" || true
}
