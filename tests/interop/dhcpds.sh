# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Servers of DHCP in namespaces, each told the same in its own words: dnsmasq,
# Kea and that of the ISC.  Sourced after netns.sh.  What a server says is in
#
#	says_mask says_router says_mtu		one value, or none
#	says_dns says_domain says_search	a list with commas
#	says_root				a text
#	says_routes says_ms			"TO/PREFIX,VIA ..." (121, 249)
#	says_last				the last address that it gives
#
# Each function starts a server on v0 of $srv, and sets server to its pid.  Its log
# is $work/server.log.
# shellcheck disable=SC2154
dhcpd_log=$work/server.log

# "TO,VIA ..." as the bytes of RFC 3442, with commas
route_bytes()
{
	echo "$*" | tr ' ' '\n' | awk -F'[./,]' '{
		printf "%s%d", (NR > 1 ? "," : ""), $5
		for (i = 1; i <= int(($5 + 7) / 8); i++)
			printf ",%d", $i
		for (i = 6; i < 10; i++)
			printf ",%d", $i
	}'
}

hex_of()
{
	# shellcheck disable=SC2046 # words on purpose
	printf %02x $(echo "$1" | tr , ' ')
}

start_dnsmasq()
{
	set --
	[ ! "$says_mask" ] || set -- "$@" --dhcp-option=1,"$says_mask"
	[ ! "$says_router" ] || set -- "$@" --dhcp-option=3,"$says_router"
	[ ! "$says_dns" ] || set -- "$@" --dhcp-option=6,"$says_dns"
	[ ! "$says_domain" ] || set -- "$@" --dhcp-option=15,"$says_domain"
	[ ! "$says_root" ] || set -- "$@" --dhcp-option=17,"$says_root"
	[ ! "$says_mtu" ] || set -- "$@" --dhcp-option=26,"$says_mtu"
	[ ! "$says_search" ] || set -- "$@" \
		--dhcp-option=option:domain-search,"$says_search"
	for code in 121 249; do
		routes=$says_routes
		[ $code = 121 ] || routes=$says_ms
		[ ! "$routes" ] || set -- "$@" \
			--dhcp-option=$code,"$(hex_of "$(route_bytes "$routes")" |
			sed 's/../&:/g; s/:$//')"
	done
	dhcpd_on v0 192.0.2.50 "$says_last" --port=0 "$@"
}

# kea_option NAME VALUE [WORDS]
kea_option()
{
	[ ! "$2" ] || printf '%s{ "name": "%s", "data": "%s"%s }' \
		"${comma-}" "$1" "$2" "${3-}"
	[ ! "$2" ] || comma=', '
}

# kea_run PROGRAM PORT: with $work/kea.conf
kea_run()
{
	mkdir -p "$work/kea"
	nsenter -t "$srv" -n -m env KEA_PIDFILE_DIR="$work/kea" \
		KEA_LOCKFILE_DIR=none KEA_DHCP_DATA_DIR="$work/kea" \
		"$1" -c "$work/kea.conf" >"$work/server.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -u "$2" "$server" "$work/server.log"
}

start_kea()
{
	comma=''
	# its mask is always that of the subnet
	case $says_mask in
	'') kea_net='"subnet": "192.0.2.0/24"' ;;
	*.254) kea_net='"subnet": "192.0.2.50/31", "interface": "v0"' ;;
	*)
		kea_net='"subnet": "192.0.2.50/32", "interface": "v0"'
		says_last=192.0.2.50
		;;
	esac
	options=$(
		kea_option routers "$says_router"
		kea_option domain-name-servers "$says_dns"
		kea_option domain-name "$says_domain"
		kea_option root-path "$says_root"
		kea_option interface-mtu "$says_mtu"
		kea_option domain-search "$says_search"
		[ ! "$says_routes" ] || kea_option rfc3442 \
			"$(hex_of "$(route_bytes "$says_routes")")" \
			', "csv-format": false'
		[ ! "$says_ms" ] || kea_option ms \
			"$(hex_of "$(route_bytes "$says_ms")")" \
			', "csv-format": false'
	)
	cat >"$work/kea.conf" <<-END
		{ "Dhcp4": {
		"interfaces-config": { "interfaces": [ "v0" ] },
		"lease-database": { "type": "memfile", "persist": false },
		"option-def": [
			{ "name": "rfc3442", "code": 121, "type": "binary" },
			{ "name": "ms", "code": 249, "type": "binary" } ],
		"valid-lifetime": 3600,
		"loggers": [ { "name": "kea-dhcp4", "severity": "DEBUG",
			"debuglevel": 50,
			"output_options": [ { "output": "stdout" } ] } ],
		"subnet4": [ { "id": 1, $kea_net,
			"pools": [ { "pool": "192.0.2.50-$says_last" } ],
			"option-data": [ $options ] } ] } }
	END
	kea_run kea-dhcp4 67
}

isc_option()
{
	[ ! "$2" ] || echo "option $1 $2;"
}

quoted_list()
{
	[ ! "$1" ] || echo "\"$(echo "$1" | sed 's/,/", "/g')\""
}

# isc_run -4|-6 PORT: with $work/isc.conf
isc_run()
{
	: >"$work/isc.leases"
	nsenter -t "$srv" -n -m dhcpd "$1" -f -d -cf "$work/isc.conf" \
		-lf "$work/isc.leases" --no-pid v0 \
		>"$work/server.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -u "$2" "$server" "$work/server.log"
}

start_isc()
{
	cat >"$work/isc.conf" <<-END
		option rfc3442 code 121 = array of unsigned integer 8;
		option ms code 249 = array of unsigned integer 8;
		authoritative; ping-check false; default-lease-time 3600;
		subnet 198.51.100.0 netmask 255.255.255.0 { }
		subnet 192.0.2.0 netmask 255.255.255.0 {
		range 192.0.2.50 $says_last;
		$(isc_option subnet-mask "$says_mask")
		$(isc_option routers "$says_router")
		$(isc_option domain-name-servers "$says_dns")
		$(isc_option domain-name "$(quoted_list "$says_domain")")
		$(isc_option root-path "$(quoted_list "$says_root")")
		$(isc_option interface-mtu "$says_mtu")
		$(isc_option domain-search "$(quoted_list "$says_search")")
		$([ ! "$says_routes" ] ||
			isc_option rfc3442 "$(route_bytes "$says_routes")")
		$([ ! "$says_ms" ] || isc_option ms "$(route_bytes "$says_ms")")
		}
	END
	isc_run -4 67
}

# ---- DHCPv6, with addresses of 2001:db8::100 to ::1ff ----

url='nbd://[2001:db8::1]/root'

start6_dnsmasq()
{
	dhcpd_on v0 192.0.2.50 192.0.2.60 --port=0 --dhcp-duid=1,01020304 \
		--dhcp-range=2001:db8::100,2001:db8::1ff,64,3600 \
		--dhcp-option='option6:dns-server,[2001:db8::53],[2001:db8::54]' \
		--dhcp-option=option6:domain-search,a.example,b.example \
		--dhcp-option="option6:bootfile-url,$url"
	listens -u 547 "$server" "$dhcpd_log"
}

start6_kea()
{
	cat >"$work/kea.conf" <<-END
		{ "Dhcp6": {
		"interfaces-config": { "interfaces": [ "v0" ],
			"service-sockets-max-retries": 100,
			"service-sockets-retry-wait-time": 100 },
		"lease-database": { "type": "memfile", "persist": false },
		"server-id": { "type": "LL", "persist": false },
		"loggers": [ { "name": "kea-dhcp6", "severity": "DEBUG",
			"debuglevel": 50,
			"output_options": [ { "output": "stdout" } ] } ],
		"option-data": [
		{ "name": "dns-servers", "data": "2001:db8::53, 2001:db8::54" },
		{ "name": "domain-search", "data": "a.example, b.example" },
		{ "name": "bootfile-url", "data": "$url" } ],
		"subnet6": [ { "id": 1, "subnet": "2001:db8::/64", "interface": "v0",
		"pools": [ { "pool": "2001:db8::100-2001:db8::1ff" } ] } ] } }
	END
	kea_run kea-dhcp6 547
}

start6_isc()
{
	cat >"$work/isc.conf" <<-END
		authoritative; default-lease-time 3600;
		option dhcp6.name-servers 2001:db8::53, 2001:db8::54;
		option dhcp6.domain-search "a.example", "b.example";
		option dhcp6.bootfile-url "$url";
		subnet6 2001:db8::/64 { range6 2001:db8::100 2001:db8::1ff; }
	END
	isc_run -6 547
}
