#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot.efi by PXE and HTTP boot: where its words are, in each encoding and
# framing; IPv6 addresses by hand, and PXE by IPv6 with radvd and Kea, and with
# dnsmasq; HTTP boot by IPv6 with Kea.  ONLY=PATTERN chooses cases by their
# names.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi_lan.sh
. "$here/uefi_lan.sh"

no_pxe4='-fw_cfg name=opt/org.tianocore/IPv4PXESupport,string=n'
no_pxe="$no_pxe4 -fw_cfg name=opt/org.tianocore/IPv6PXESupport,string=n"

# wanted NAME: is it chosen?
wanted()
{
	# shellcheck disable=SC2254 # it is a pattern
	case $1 in
	${ONLY:-*}) return 0 ;;
	esac
	return 1
}

# text ENCODING: the words, which name no host, so that they are printed
text()
{
	case $1 in
	*-bom) printf '\357\273\277' | iconv -f UTF-8 -t "$(utf "$1")" ;;
	esac
	printf '# %s\r\nroot=nbd:///%s\r\n' "$1" "$1" |
		iconv -f UTF-8 -t "$(utf "$1")"
}

utf()
{
	case $1 in
	utf16le*) echo UTF-16LE ;;
	utf16be*) echo UTF-16BE ;;
	*) echo UTF-8 ;;
	esac
}

# stops_with SENTENCE PATTERN...: it refuses its words, which a line names
stops_with()
{
	await '*nbdboot: FAILED: *' || true
	shows "$@"
	vm_stop
}

build_efi
lan_up
tap=t0

# ---- HTTP ----

mkdir -p "$work/http/d" "$work/tftp/d"
cp "$efi" "$work/http/d/nbdboot.efi"
cp "$efi" "$work/http/nbdboot.efi"
for case in length-utf8 chunked-utf8-bom close-utf16le-bom chunked-utf16be \
	length-utf16le close-utf16be-bom; do
	wanted "http-$case" || continue
	encoding=${case#*-}
	text "$encoding" >"$work/http/d/nbdboot.conf"
	http_on "${case%%-*}"
	http=$server
	lan_dhcpd --dhcp-vendorclass=set:http,HTTPClient \
		--dhcp-option-force=tag:http,60,HTTPClient \
		--dhcp-boot="tag:http,http://$root4/d/nbdboot.efi?of=/x"
	# shellcheck disable=SC2086 # words on purpose
	machine $no_pxe
	stops_with "HTTP: $case" \
		"FAILED: http://$root4/d/nbdboot.conf: root=nbd:///$encoding"
	lan_stop
	server=$http
	lan_stop
done

# ---- places that are ignored, each with a line ----

# complains NAME SENTENCE PATTERN...: with $work/http/d/nbdboot.conf as it is, and
# no root-path in DHCP
complains()
{
	http_on "${1#*-}"
	http=$server
	shift
	lan_dhcpd --dhcp-vendorclass=set:http,HTTPClient \
		--dhcp-option-force=tag:http,60,HTTPClient \
		--dhcp-boot="tag:http,http://$root4/d/nbdboot.efi"
	# shellcheck disable=SC2086 # words on purpose
	machine $no_pxe
	await '*boot from which URI*' || true
	shows "$@"
	vm_stop
	lan_stop
	server=$http
	lan_stop
}

ignored="nbdboot: http://$root4/d/nbdboot.conf: ignored:"
if wanted empty; then
	printf '# nothing\n' >"$work/http/d/nbdboot.conf"
	complains empty-close 'a text without words' "$ignored no words"
fi
if wanted binary; then
	printf 'a\001b' >"$work/http/d/nbdboot.conf"
	complains binary-length 'what is no text' "$ignored not text"
fi
if wanted long; then
	head -c 20000 /dev/zero | tr '\0' x >"$work/http/d/nbdboot.conf"
	complains long-chunked 'a text that is too long' "$ignored "
fi

# ---- IPv6 by hand ----

# by_hand NAME SERVER ADDRESS PREFIX GATEWAY
by_hand()
{
	wanted "$1" || return 0
	start "root=nbd://[$2]/ ip=[$3]::$5:$4::: $direct"
	to_root "IPv6 by hand: $1" "nbdboot: $3/$4, .*by ip=" \
		"nbdboot: nbd://\\[$2\\]/: .* connected after" ' BOOTIF=01-52-54'
}

build_efi ipv6
disk_of_lan
serve_on 10809
far6=2001:db8:7::1
at "$srv" ip addr add "$far6/64" dev br1 nodad
by_hand static-link "$root6" 2001:db8::22 64 ''
by_hand static-gateway "$far6" 2001:db8::22 64 '[fe80::1]'
by_hand static-long "$far6" 2001:db8::22 120 "[$root6]"

# ---- PXE and HTTP boot by IPv6 ----

# kea OPTIONS: as Kea has them in JSON
kea()
{
	cat >"$work/kea.conf" <<-END
		{ "Dhcp6": {
		"interfaces-config": { "interfaces": [ "br0" ],
			"service-sockets-max-retries": 100,
			"service-sockets-retry-wait-time": 100 },
		"lease-database": { "type": "memfile", "persist": false },
		"server-id": { "type": "EN", "enterprise-id": 1,
			"identifier": "01", "persist": false },
		"loggers": [ { "name": "kea-dhcp6", "severity": "INFO",
			"output_options": [ { "output": "stdout" } ] } ],
		"subnet6": [ { "id": 1, "subnet": "2001:db8::/64", "interface": "br0",
			"pools": [ { "pool": "2001:db8::50 - 2001:db8::99" } ],
			"option-data": [ $1,
			{ "name": "dns-servers", "data": "$root6" } ] } ] } }
	END
	mkdir -p "$work/kea"
	nsenter -t "$srv" -n -m env KEA_PIDFILE_DIR="$work/kea" \
		KEA_LOCKFILE_DIR=none KEA_DHCP_DATA_DIR="$work/kea" \
		kea-dhcp6 -c "$work/kea.conf" >"$work/kea.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -u 547 "$server" "$work/kea.log"
}

# dnsmasq6 OPTION...: an own process for IPv6, or for TFTP alone
dnsmasq6()
{
	nsenter -t "$srv" -n -m dnsmasq -C /dev/null -k -i br0 \
		--bind-interfaces --no-resolv --no-hosts --log-dhcp \
		--log-facility=- --user=root --port=0 \
		--dhcp-leasefile="$work/leases6" "$@" \
		>"$work/dnsmasq6.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
}

# the enterprise number of Intel, and HTTPClient
class6=00000157000a48545450436c69656e74
tftp_url=tftp://[$root6]/d/nbdboot.efi
http_url="http://[$root6]/d/nbdboot.efi?of=/x"
cp "$efi" "$work/tftp/d/nbdboot.efi"
cp "$efi" "$work/http/d/nbdboot.efi"
for place in tftp http; do
	echo "root=nbd://[$far6]/ $direct" >"$work/$place/d/nbdboot.conf"
done

# by_ip6 SENTENCE HOW QEMU-ARGUMENTS
by_ip6()
{
	# shellcheck disable=SC2086 # words on purpose
	machine $3
	to_root "$1" "nbdboot: 2001:db8::.*/64, .*by $2, over virtio-net" \
		"nbdboot: nbd://\\[$far6\\]/: .* connected after" \
		' ip=dhcp6 BOOTIF=01-52-54'
}

# end_servers_of PID...
end_servers_of()
{
	for server; do
		lan_stop
	done
}

# without a machine no port of the bridge has a carrier, and Kea does not listen
at "$srv" ip link add c0 type veth peer name c1
at "$srv" ip link set c1 up
at "$srv" ip link set c0 master br0 up

router='AdvManagedFlag on; prefix 2001:db8::/64 { AdvAutonomous off; };'
url_of()
{
	printf '{ "name": "bootfile-url", "data": "%s" }' "$1"
}
if wanted pxe6-kea; then
	radvd_on br0 "$router"
	dnsmasq6 --enable-tftp --tftp-root="$work/tftp"
	tftp=$server
	kea "$(url_of "$tftp_url")"
	by_ip6 'PXE by IPv6: radvd and Kea' PXE "$no_pxe4"
	end_servers_of "$server" "$tftp" "$radvd"
fi
range=2001:db8::50,2001:db8::99,64,1h
if wanted pxe6-dnsmasq; then
	dnsmasq6 --enable-tftp --tftp-root="$work/tftp" --enable-ra \
		--dhcp-range=$range --dhcp-option=option6:59,"$tftp_url"
	listens -u 547 "$server" "$work/dnsmasq6.log"
	by_ip6 'PXE by IPv6: dnsmasq' PXE "$no_pxe4"
	lan_stop
fi
if wanted http6-kea; then
	http_on chunked
	http=$server
	radvd_on br0 "$router"
	kea "$(url_of "$http_url"), { \"name\": \"vendor-class\",
		\"always-send\": true, \"csv-format\": false,
		\"data\": \"$class6\" }"
	by_ip6 'HTTP boot by IPv6: radvd and Kea' 'HTTP boot' "$no_pxe"
	end_servers_of "$server" "$http" "$radvd"
fi
finish
