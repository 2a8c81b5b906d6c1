#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What systemd-networkd of this system and of Debian 13 does with the interface of
# the root, in network namespaces: it has it as configured, and removes the address
# at no time.  TAP on standard output.
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"

nbdboot=$O/nbdboot
boot=$(realpath "${0%/*}/../../boot")

# What dracut has for ip=eth0:dhcp, by systemd-network-generator, and our hook.
# networkd itself gets the address.
dracut()
{
	at "$cli" mkdir -p /run/systemd/network /run/nbdboot/root
	# shellcheck disable=SC2016 # for the inner shell
	at "$cli" sh -ec 'printf "%s\n" "[Match]" Name=eth0 "[Network]" DHCP=yes \
		>/run/systemd/network/90-eth0.network
		. "$1"' sh "$boot/dracut/95nbdboot/networkd-keep.sh"
}

# machine WORD: makes a machine, which gets its address by that word, and its
# router.  Sets address, but not where networkd gets it.
machine()
{
	namespace
	srv=$ns
	namespace
	cli=$ns
	cable v0 eth0
	at "$srv" ip addr add 192.0.2.1/24 dev v0
	at "$srv" ip addr add 2001:db8::1/64 dev v0 nodad
	at "$srv" sysctl -q net.ipv6.conf.v0.keep_addr_on_down=1
	radvd_on v0 'AdvManagedFlag on;' \
		'prefix 2001:db8::/64 { AdvAutonomous on; };'
	dhcpd_on v0 192.0.2.50 192.0.2.60 --dhcp-duid=1,01020304 \
		--dhcp-range=2001:db8::100,2001:db8::1ff,64,3600
	listens -u 547 "$server" "$work/dnsmasq.log"
	[ "$1" != dracut ] || { dracut && return; }
	at "$cli" "$nbdboot" ifup "$1" >"$work/out" 2>&1 ||
		die "no network: $(cat "$work/out")"
	address=$(at "$cli" sed -n "s/^IPV[46]ADDR='\(.*\)'/\1/p" \
		/run/nbdboot/lease)
}

# program NAME ARGUMENT...: becomes that of systemd in $root.  /run is that of the
# machine; udev is not asked where /sys is read-only.
program()
{
	# shellcheck disable=SC2016 # for the inner shell
	exec nsenter -t "$cli" -n -m unshare -m sh -ec '
		mount --bind /run "$1/run"
		mount -t sysfs -o ro sysfs "$1/sys"
		exec env SYSTEMD_LOG_LEVEL=debug chroot "$@"' sh "$root" "$@"
}

# shellcheck disable=SC2329 # by check
online()
{
	logs 'Enumeration completed'
	(program "$where/systemd-networkd-wait-online" -i eth0 --timeout=600) \
		>"$work/online.log" 2>&1 </dev/null
}

# shellcheck disable=SC2329 # by check
at_failure()
{
	for log in online networkd radvd dnsmasq; do
		echo "# $log.log:"
		tail -n 40 "$work/$log.log" | sed 's/^/# /'
	done
}

# starts SENTENCE: networkd, which has the interface as configured.  Who waits for
# that begins once networkd is ready, as its unit does.
starts()
{
	: >"$work/networkd.log"
	(program "$where/systemd-networkd") >>"$work/networkd.log" 2>&1 \
		</dev/null &
	pid=$!
	servers="$servers $pid"
	check "$1" online
}

stops()
{
	kill "$1" "$pid"
	wait "$pid" 2>"$work/killed" || true
}

# logs PATTERN: waits for a line of networkd's
logs()
{
	tail -n +1 -f --pid="$pid" "$work/networkd.log" |
		grep -m 1 -e "$1" >"$work/line" || true
}

# shellcheck disable=SC2329 # by check
stayed()
{
	! grep -F "Deleted" "$work/changes" | grep -F " $address/"
}

# A lease of DHCPv6 is not networkd's.
renewed()
{
	ifup -r
	expect 0 '' "$name: the lease is renewed beside it"
	client_has 'ip addr show eth0' "$address/128 scope global" \
		"$name: its address"
	client_has "ip addr show to $address" 'valid_lft forever' \
		"$name: has no end, as the boot has set it"
}

# networkd WORD: the one in $root, with an address that this word gets
networkd()
{
	name="$version, ${1%%::*}"
	machine "$1"
	changes
	starts "$name: networkd has the interface as configured"
	[ "$1" != dracut ] || address=$(at "$cli" ip -4 -o addr show dev eth0 |
		sed 's/.* inet \([0-9.]*\).*/\1/')
	at "$srv" ip link set v0 down
	logs 'eth0: Lost carrier'
	# not the line of the start
	: >"$work/networkd.log"
	at "$srv" ip link set v0 up
	logs 'eth0: Gained carrier'
	stops -TERM
	starts "$name: again after a restart"
	stops -KILL
	starts "$name: and after it was killed"
	[ "$1" != ip=dhcp6 ] || renewed
	stops -TERM
	changed
	client_has 'ip addr show eth0' " $address/" \
		"$name: the interface has the address of the boot"
	check "$name: and lost it at no time, a cable that was out included" \
		stayed
	end_server "$server" "$radvd"
	wait "$server" "$radvd" 2>"$work/killed" || true
}

# all ROOT: the networkd there, unless another root had the same
all()
{
	root=$1
	version=$(chroot "$root" $where/systemd-networkd --version |
		sed -n '1s/ (.*//p')
	[ "$version" != "${last-}" ] || return 0
	last=$version
	networkd ip=192.0.2.9::192.0.2.1:255.255.255.0::eth0:none
	networkd ip=dhcp
	networkd ip=auto6
	networkd ip=dhcp6
	networkd dracut
}

where=/lib/systemd
if [ -x $where/systemd-networkd ]; then
	all /
else
	ok "addresses that networkd keeps # SKIP there is no $where/systemd-networkd"
fi
debian=$(sh "${0%/*}/../debian.sh" "$O/debian-trixie" trixie) ||
	die 'no Debian 13'
all "$debian"
finish
