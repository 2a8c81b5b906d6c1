# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Servers of DHCP in namespaces, each told the same in its own words: dnsmasq,
# Kea and that of the ISC.  Sourced after netns.sh.  What a server says is in
#
#	says_mask says_router says_mtu		one value, or none
#	says_t1 says_t2 says_lease		seconds; no says_lease: 3600
#	says_dns says_search			a list with commas
#	says_host says_domain says_root		a text
#	says_routes says_ms			"TO/PREFIX,VIA ..." (121, 249)
#	says_first says_last			the addresses that it gives
#	says_ours				the root-path for nbdboot's vendor
#						class alone (60), with options of
#						a vendor for all (43)
#
# Each function starts a server on v0 of $srv, and sets server to its pid.  Its log
# is $dhcpd_log.
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

# options of a vendor: what PXE has for a boot without a menu
vendor_bytes=6,1,8,255

start_dnsmasq()
{
	set --
	[ ! "$says_host" ] || set -- "$@" --dhcp-option=12,"$says_host"
	[ ! "$says_t1" ] || set -- "$@" --dhcp-option-force=58,"$says_t1"
	[ ! "$says_t2" ] || set -- "$@" --dhcp-option-force=59,"$says_t2"
	[ ! "$says_ours" ] || set -- "$@" --dhcp-vendorclass=set:ours,nbdboot \
		--dhcp-option=tag:ours,17,"$says_ours" --dhcp-option-force=43,"$(
			hex_of $vendor_bytes | sed 's/../&:/g; s/:$//')"
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
	dhcpd_on v0 "$says_first" "$says_last" --port=0 --dhcp-authoritative "$@"
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
	mkdir -p "$dhcpd_log.kea"
	nsenter -t "$srv" -n -m env KEA_PIDFILE_DIR="$dhcpd_log.kea" \
		KEA_LOCKFILE_DIR=none KEA_DHCP_DATA_DIR="$dhcpd_log.kea" \
		"$1" -c "$work/kea.conf" >"$dhcpd_log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -u "$2" "$server" "$dhcpd_log"
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
		# it takes one name for this
		kea_option domain-name "$(printf %s "$says_domain" |
			od -An -tx1 | tr -d ' \n')" ', "csv-format": false'
		kea_option host-name "$says_host"
		kea_option root-path "$says_root"
		kea_option interface-mtu "$says_mtu"
		kea_option domain-search "$says_search"
		[ ! "$says_routes" ] || kea_option rfc3442 \
			"$(hex_of "$(route_bytes "$says_routes")")" \
			', "csv-format": false'
		[ ! "$says_ms" ] || kea_option ms \
			"$(hex_of "$(route_bytes "$says_ms")")" \
			', "csv-format": false'
		[ ! "$says_ours" ] || kea_option vendor-encapsulated-options \
			"$(hex_of $vendor_bytes)" \
			', "csv-format": false, "always-send": true'
	)
	times=''
	[ ! "$says_t1" ] || times="\"renew-timer\": $says_t1,"
	[ ! "$says_t2" ] || times="$times \"rebind-timer\": $says_t2,"
	cat >"$work/kea.conf" <<-END
		{ "Dhcp4": {
		"authoritative": true,
		"client-classes": [ { "name": "ours",
			"test": "option[60].text == 'nbdboot'",
			"option-data": [ $(comma=''
				kea_option root-path "$says_ours") ] } ],
		"interfaces-config": { "interfaces": [ "v0" ] },
		"lease-database": { "type": "memfile", "persist": false },
		"option-def": [
			{ "name": "rfc3442", "code": 121, "type": "binary" },
			{ "name": "ms", "code": 249, "type": "binary" } ],
		"valid-lifetime": ${says_lease:-3600}, $times
		"loggers": [ { "name": "kea-dhcp4", "severity": "DEBUG",
			"debuglevel": 50,
			"output_options": [ { "output": "stdout" } ] } ],
		"subnet4": [ { "id": 1, $kea_net,
			"pools": [ { "pool": "$says_first-$says_last" } ],
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
		authoritative; ping-check false;
		default-lease-time ${says_lease:-3600};
		min-lease-time 0;
		class "ours" {
		match if option vendor-class-identifier = "nbdboot";
		$(isc_option root-path "$(quoted_list "$says_ours")")
		}
		subnet 198.51.100.0 netmask 255.255.255.0 { }
		subnet 192.0.2.0 netmask 255.255.255.0 {
		range $says_first $says_last;
		$(isc_option dhcp-renewal-time "$says_t1")
		$(isc_option dhcp-rebinding-time "$says_t2")
		$([ ! "$says_ours" ] || isc_option vendor-encapsulated-options \
			"$(hex_of $vendor_bytes | sed 's/../&:/g; s/:$//')")
		$(isc_option host-name "$(quoted_list "$says_host")")
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

# ---- DHCPv6 ----
#
#	says_pool	"FIRST LAST", or none: then it has no address
#	says_url	the boot file (59)
#	says_params	of that (60): texts with blanks between them
#	says_ours	the boot file for nbdboot's vendor class alone (16), with
#			options of a vendor for all (17)
#	says_zero	T1 and T2 are 0
#	says_life	seconds of an address; none: 3600
#	says_best	its preference is higher than that of others
#	says_behind	the address of a relay, or none

# shellcheck disable=SC2034 # for the scripts that source this
url='nbd://[2001:db8::1]/root'

# "TEXT ..." as the bytes of option 60, with colons
param_bytes()
{
	for text in "$@"; do
		printf '%04x' "${#text}"
		printf %s "$text" | od -An -v -tx1 | tr -d ' \n'
	done | sed 's/../&:/g; s/:$//'
}

# of the enterprise 4491, which is that of cable modems
vendor6_bytes=00:00:11:8b:00:20:00:01:41

start6_dnsmasq()
{
	set -- --dhcp-range=2001:db8::,static
	[ ! "$says_pool" ] || set -- \
		--dhcp-range="${says_pool% *},${says_pool#* },64,3600"
	[ ! "$says_best" ] || set -- "$@" --dhcp-authoritative
	[ ! "$says_url" ] || set -- "$@" \
		--dhcp-option=option6:bootfile-url,"$says_url"
	[ ! "$says_params" ] || set -- "$@" \
		--dhcp-option=option6:bootfile-param,"$(echo "$says_params" |
			tr ' ' ,)"
	[ ! "$says_ours" ] || set -- "$@" \
		--dhcp-vendorclass=set:ours,enterprise:0,nbdboot \
		--dhcp-option=tag:ours,option6:bootfile-url,"$says_ours" \
		--dhcp-option-force=option6:17,$vendor6_bytes
	dhcpd_on v0 192.0.2.50 192.0.2.60 --port=0 --dhcp-duid=1,01020304 \
		--dhcp-option='option6:dns-server,[2001:db8::53],[2001:db8::54]' \
		--dhcp-option=option6:domain-search,a.example,b.example "$@"
	listens -u 547 "$server" "$dhcpd_log"
}

start6_kea()
{
	comma=''
	options=$(
		kea_option dns-servers '2001:db8::53, 2001:db8::54'
		kea_option domain-search 'a.example, b.example'
		kea_option bootfile-url "$says_url"
		kea_option bootfile-param "$(echo "$says_params" |
			sed 's/ /, /g')"
		[ ! "$says_best" ] ||
			kea_option preference 200 ', "always-send": true'
		[ ! "$says_ours" ] || kea_option vendor-opts 4491 \
			', "always-send": true'
		[ ! "$says_ours" ] || kea_option cable A \
			', "space": "vendor-4491", "always-send": true'
	)
	times=''
	[ ! "$says_zero" ] || times='"calculate-tee-times": false,
		"renew-timer": 0, "rebind-timer": 0,'
	[ ! "$says_life" ] || times="$times \"valid-lifetime\": $says_life,
		\"preferred-lifetime\": $says_life,"
	where='"interface": "v0"'
	also=''
	# a relay sends to an address of it
	[ ! "$says_behind" ] || {
		where="\"relay\": { \"ip-addresses\": [ \"$says_behind\" ] }"
		also=', "v0/2001:db8:1::1"'
	}
	cat >"$work/kea.conf" <<-END
		{ "Dhcp6": {
		"interfaces-config": { "interfaces": [ "v0"$also ],
			"service-sockets-max-retries": 100,
			"service-sockets-retry-wait-time": 100 },
		"lease-database": { "type": "memfile", "persist": false },
		"server-id": { "type": "LL", "persist": false },
		"loggers": [ { "name": "kea-dhcp6", "severity": "DEBUG",
			"debuglevel": 50,
			"output_options": [ { "output": "stdout" } ] } ],
		$times
		"option-def": [ { "name": "cable", "code": 32,
			"space": "vendor-4491", "type": "string" } ],
		"client-classes": [ { "name": "ours",
			"test": "substring(option[16].hex, 6, 7) == 'nbdboot'",
			"option-data": [ $(comma=''
				kea_option bootfile-url "$says_ours") ] } ],
		"option-data": [ $options ],
		"subnet6": [ { "id": 1, "subnet": "2001:db8::/64", $where,
		"pools": [ $([ ! "$says_pool" ] ||
			printf '{ "pool": "%s-%s" }' "${says_pool% *}" \
				"${says_pool#* }") ] } ] } }
	END
	kea_run kea-dhcp6 547
}

start6_isc()
{
	# shellcheck disable=SC2086 # words on purpose
	cat >"$work/isc.conf" <<-END
		authoritative; default-lease-time ${says_life:-3600};
		option dhcp6.name-servers 2001:db8::53, 2001:db8::54;
		option dhcp6.domain-search "a.example", "b.example";
		$([ "$says_zero" ] || echo 'option dhcp-renewal-time 1800;
			option dhcp-rebinding-time 2880;')
		$(isc_option dhcp6.bootfile-url "$(quoted_list "$says_url")")
		$([ ! "$says_params" ] || isc_option dhcp6.bootfile-param \
			"$(param_bytes $says_params)")
		$([ ! "$says_best" ] || isc_option dhcp6.preference 200)
		option dhcp6.vendor-class code 16 = string;
		class "ours" {
		match if substring(option dhcp6.vendor-class, 6, 7) = "nbdboot";
		$(isc_option dhcp6.bootfile-url "$(quoted_list "$says_ours")")
		}
		$([ ! "$says_ours" ] ||
			echo "option space cable code width 2 length width 2;
			option cable.name code 32 = text;
			option vsio.cable code 4491 = encapsulate cable;
			option cable.name \"A\";")
		$([ ! "$says_behind" ] || echo 'subnet6 2001:db8:1::/64 { }')
		subnet6 2001:db8::/64 {
			$([ ! "$says_pool" ] || echo "range6 $says_pool;")
		}
	END
	isc_run -6 547
}
