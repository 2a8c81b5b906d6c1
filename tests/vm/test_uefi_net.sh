#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot.efi in bad networks: servers of DHCP that lie, HTTP boot, a list of
# NBD servers, frames that are late or lost with an outage of OUTAGE s (default
# 20).  LOSSES are frames lost of 1,000,000, one boot each (default 10000).  TAP
# on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi_lan.sh
. "$here/uefi_lan.sh"

outage=${OUTAGE:-20}

build_efi
disk_of_lan

lan_up
tap=t0
serve_on 10809 --filter=log logfile="$work/requests"
first=$nbd
serve_on 10810
second=$nbd

# ---- DHCP ----

liar garbage
start "$direct nbdboot.connections=3"
to_root 'a good answer of DHCP among bad ones, and its root-path' \
	'nbdboot: 192.0.2.66/24, .*by DHCP' \
	"nbdboot: nbd://$root4/root: .* connected after"
# the kernel connects when the firmware has left
check 'the firmware has three connections to the server, and reads by each' \
	[ "$(sed '/Disconnect/q' "$work/requests" |
		sed -n 's/.*\(connection=[0-9]*\) Read .*/\1/p' |
		sort -u | wc -l)" = 3 ]
# a busy kernel reads from one alone: then all are made again
check 'and so has the kernel' \
	[ $(($(grep -c '[0-9] Connect ' "$work/requests") -
		$(grep -c '[0-9] Disconnect ' "$work/requests"))) = 3 ]
lan_stop

# the server writes to it without waiting for a reader
mkfifo "$work/refused"
exec 5<>"$work/refused"
liar nak
start "root=nbd://$root4/ $direct"
await '*nbdboot: FAILED: *' || true
shows 'a DHCP server that takes back each offer' \
	'FAILED: DHCP: no lease within 45 s'
vm_stop
lan_stop

# ---- IPv6 ----

build_efi ipv6
nsenter -t "$srv" -n dnsmasq -C /dev/null -k -i br0 --bind-interfaces \
	--no-resolv --no-hosts --log-facility=- --user=root --enable-ra \
	--dhcp-range=2001:db8::,ra-only --host-record="root.test,$root6" \
	>"$work/router.log" 2>&1 </dev/null &
server=$!
servers="$servers $server"
listens -u 53 "$server" "$work/router.log"
start "root=nbd://root.test/ $direct"
await '*connected after*' || true
end_server -9 "$first"
await '*retrying*' || true
serve_on 10809
first=$nbd
to_root 'no DHCP: a router, its name server, a server that was killed' \
	'nbdboot: 2001:db8::5054:ff:fe00:0/64, .*by router advertisement' \
	'nbdboot: nbd://root.test/: .* connected after' 'answers again, after' \
	' ip=auto6 BOOTIF=01-'
lan_stop

lan_dhcpd
start "root=nbd://[$root6]/ $direct"
to_root 'an address of each kind, and a server by IPv6' \
	'nbdboot: 192.0.2.*, .*by DHCP' \
	"nbdboot: nbd://\\[$root6\\]/: .* connected after"
lan_stop

lan_dhcpd --dhcp-reply-delay=6
start "root=nbd://$root4/ $direct"
to_root 'a server by IPv4, and a router that answers before DHCP does' \
	'nbdboot: 192.0.2.*, .*by DHCP'
lan_stop
build_efi

# ---- HTTP boot, a list of servers ----

# The first server of the list is away at the start, and the second one is
# killed while the firmware reads.  The words are as an editor of Windows writes
# them, and come in chunks.
mkdir -p "$work/http/d"
cp "$efi" "$work/http/d/nbdboot.efi"
{
	printf '\377\376'
	printf '%s\r\n' '# the server in the corner' \
		"root=nbd://$root4:1/,nbd://$root4:10810/,nbd://$root4/ $direct" |
		iconv -f UTF-8 -t UTF-16LE
} >"$work/http/d/nbdboot.conf"
http_on chunked
lan_dhcpd --dhcp-vendorclass=set:http,HTTPClient \
	--dhcp-option-force=tag:http,60,HTTPClient \
	--dhcp-boot="tag:http,http://$root4/d/nbdboot.efi?of=/x"
machine -fw_cfg name=opt/org.tianocore/IPv4PXESupport,string=n \
	-fw_cfg name=opt/org.tianocore/IPv6PXESupport,string=n
await '*connected after*' || true
end_server -9 "$second"
to_root 'HTTP boot with a query, UTF-16 in chunks, the third server of a list' \
	'nbdboot: 192.0.2.*, .*by HTTP boot, over virtio-net' \
	"nbdboot: nbd://$root4:10810.* connected after"

# ---- nobody there ----

start "root=nbd://$root4:1/"
await '*Esc gives up*' || true
printf '\033' >&4
await '*nbdboot: back to the firmware*' || true
shows 'Esc gives up' 'FAILED: given up by Esc'
vm_stop

# ---- frames that are late, or lost, and an outage ----

for loss in ${LOSSES:-10000}; do
	lan_far 10000 "$loss"
	start "root=nbd://$root4/ $direct"
	await '*connected after*' || true
	end_server -9 "$first"
	seconds=0
	asked=$(now_ms)
	worked=$(vm_worked)
	while [ "$seconds" -lt "$outage" ] && await '*([0-9]* s); retrying*'; do
		seconds=${line##*\(}
		seconds=${seconds%% *}
	done
	worked=$(($(vm_worked) - worked))
	took=$(($(now_ms) - asked))
	check "and the processor rests meanwhile: $worked ms of $took" \
		[ $((worked * 4)) -lt $took ]
	serve_on 10809
	first=$nbd
	to_root "a round trip of 20 ms, $loss of 1,000,000 frames lost, a server \
killed for $outage s" 'answers again, after'
	sed -n 's/.*loaded in/# loaded in/p' "$work/log"
	lan_near
done
# its machine is cut off: SIGTERM would wait for that connection
end_server -9 "$first"
finish
