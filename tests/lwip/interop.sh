#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot-lwip with the servers that people run, in network namespaces, with
# dnsmasq and radvd at the other end of its tap device: interop.sh BUILD
O=${1:-build}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
# shellcheck source=tests/pki.sh
. "${0%/*}/../pki.sh"
lwip=$O/nbdboot-lwip

namespace
srv=$ns
export srv

# client ARGUMENT...: with an address by hand
client()
{
	run at "$srv" "$lwip" -i tap0 -a 10.9.0.2/24,10.9.0.1,10.9.0.1 "$@"
}

# copies SENTENCE URI ARGUMENT...: what arrives is the image
copies()
{
	sentence=$1 uri=$2
	shift 2
	rm -f "$work/copy"
	client "$@" copy "$uri" "$work/copy"
	same "$sentence"
}

same()
{
	if [ "$status" = 0 ] && cmp -s "$work/image" "$work/copy"; then
		ok "$1"
	else
		not_ok "$1"
		show "$work/out"
		show "$work/err"
	fi
}

# server PORT COMMAND...: in the namespace.  Sets server.
server()
{
	port=$1
	shift
	nsenter -t "$srv" -n -m "$@" >"$work/server.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -t "$port" "$server" "$work/server.log"
}

at "$srv" ip tuntap add tap0 mode tap
at "$srv" ip addr add 10.9.0.1/24 dev tap0
at "$srv" ip addr add fd09::1/64 dev tap0 nodad
at "$srv" ip link set tap0 up
head -c 16777216 /dev/urandom >"$work/image"

# ---- servers ----

server 10809 nbdkit -f -i 0.0.0.0 file "$work/image" --filter=cow
client info nbd://10.9.0.1
expect 0 'size 16777216' 'info of nbdkit'
copies 'copy from nbdkit' nbd://10.9.0.1
for depth in 1 32; do
	copies "copy with $depth requests in flight" nbd://10.9.0.1 -q "$depth"
done
copies 'copy in requests of 4 KiB' nbd://10.9.0.1 -b 4
copies 'copy over four connections' nbd://10.9.0.1 -C 4
client copy nbd://10.9.0.1 "$work/none/copy"
expect 1 "open $work/none/copy: No such file or directory" \
	'copy to a file that cannot be'
rm -f "$work/copy"
run at "$srv" sh -c 'exec "$@" <&- >&- 2>&-' - "$lwip" -v -i tap0 \
	-a 10.9.0.2/24 copy nbd://10.9.0.1 "$work/copy"
same 'copy without standard descriptors'
client check nbd://10.9.0.1
expect 0 '1024 blocks are right, 0 reconnects' \
	'blocks are read and written through a cache'
client -v info nbd://10.9.0.1
package=$(sed -n '1s/.*(\(.*\)).*/\1/p' build/lwip/debian/changelog)
expect 0 "lwIP ${package%%+*} (Debian $package)" \
	'the version of lwIP is that of the source package'
client info nbd://10.9.0.1:1
expect 1 'connect to 10.9.0.1 port 1: connection refused' \
	'nobody there is refused'
client info nbd+unix:///?socket=/x
expect 1 'there are no UNIX sockets here' 'a UNIX socket is refused'

server 10810 qemu-nbd -r -t -f raw -p 10810 "$work/image"
copies 'copy from qemu-nbd' nbd://10.9.0.1:10810

cat >"$work/nbd-server.conf" <<END
[generic]
port = 10811
allowlist = true
[image]
exportname = $work/image
readonly = true
END
at "$srv" nbd-server -C "$work/nbd-server.conf" -p "$work/nbd-server.pid"
until server=$(cat "$work/nbd-server.pid" 2>/dev/null) && [ "$server" ]; do :; done
servers="$servers $server"
listens -t 10811 "$server" "$work/nbd-server.conf"
copies 'copy from nbd-server' nbd://10.9.0.1:10811/image
client info nbd://10.9.0.1:10811/none
expect 1 '"none"' 'an export that is not there is named'

# ---- a server that goes and comes back ----

# a copy from this one would take two minutes
server 10812 nbdkit -f -p 10812 --filter=rate file "$work/image" rate=1M
rm -f "$work/copy"
nsenter -t "$srv" -n -m "$lwip" -i tap0 -a 10.9.0.2/24 -b 64 \
	copy nbd://10.9.0.1:10812 "$work/copy" >"$work/out" 2>"$work/err" &
copy=$!
until [ -s "$work/copy" ] || ! runs "$copy"; do :; done
end_server -9 "$server"
server 10812 nbdkit -f -p 10812 file "$work/image"
status=0
wait "$copy" || status=$?
same 'a server that is killed and started again is a pause'
expect 0 ' 1 reconnects' 'and one connection more'

# ---- TLS ----

pki "$work/pki"
pki_server "$work/pki" ecdsa ecdsa 'ip_address = "10.9.0.1"'
pki_use "$work/pki" ecdsa "$work/tls"
server 10813 nbdkit -f -p 10813 --tls=require --tls-certificates="$work/tls" \
	file "$work/image"
copies 'copy with TLS' nbds://10.9.0.1:10813 -c "$work/pki/ca-cert.pem"
copies 'copy with TLS over three connections' nbds://10.9.0.1:10813 \
	-c "$work/pki/ca-cert.pem" -C 3
client -c "$work/pki/ca-cert.pem" info \
	'nbds://10.9.0.1:10813/?tls-hostname=other.example'
expect 1 'other.example' 'the name in the certificate counts'
client info nbd://10.9.0.1:10813
expect 1 'TLS' 'a server that wants TLS is not spoken to in the clear'

# ---- packets of an interface that is not a tap ----

namespace
cli=$ns
cable veth-s veth-c
at "$srv" ip addr add 10.10.0.1/24 dev veth-s
at "$cli" ip link set veth-c up
at "$srv" ethtool -K veth-s tx off tso off gso off >/dev/null
rm -f "$work/copy"
run at "$cli" "$lwip" -p veth-c -a 10.10.0.2/24 copy \
	nbd://10.10.0.1:10812 "$work/copy"
same 'copy through a packet socket'

# ---- addresses and names ----

client info nbd://name.example
expect 1 'resolve name.example: no name server answered' \
	'a name without a name server is no address'
dhcpd_on tap0 10.9.0.50 10.9.0.59 --port=53 --no-hosts \
	--host-record=boot.example,10.9.0.77 \
	--host-record=boot.example,10.9.0.1 \
	--host-record=six.example,fd09::1 --auth-server=no.example
dhcpd=$server
run at "$srv" "$lwip" -i tap0 -v info nbd://10.9.0.1
expect 0 'address 10.9.0.5' 'an address by DHCP'
run at "$srv" "$lwip" -i tap0 info nbd://boot.example:10812
expect 0 'size 16777216' 'every address of a name is tried'
run at "$srv" "$lwip" -i tap0 info nbd://none.example
expect 1 'resolve none.example: ' 'a name that does not exist is reported'

radvd_on tap0 'prefix fd09::/64 { };' 'RDNSS fd09::1 { };'
server 10814 nbdkit -f -i :: -p 10814 file "$work/image"
run at "$srv" "$lwip" -i tap0 info nbd://six.example:10814
expect 0 'size 16777216' 'IPv6, by a name'
end_server "$dhcpd"
rm -f "$work/copy"
run at "$srv" "$lwip" -i tap0 copy 'nbd://[fd09::1]:10814' "$work/copy"
same 'IPv6, with an address by advertisement and no DHCP'
server 53 dnsmasq -C /dev/null -k -u root -a fd09::1 --bind-interfaces \
	--no-resolv --no-hosts --host-record=six.example,fd09::1
run at "$srv" "$lwip" -i tap0 copy nbd://six.example:10814 "$work/copy"
same 'a name, by the name server of an advertisement'

# ---- the example of the manual ----

awk '/^Example/ { inside = 1 } /^For speed/ { inside = 0 }
	inside && sub(/^\t/, "") { n++ } inside && n
	END { exit n > 60 }' port/lwip/README >"$work/example.c"
cat >"$work/world.h" <<'END'
#include <stddef.h>
#include <stdint.h>
#define NS_PER_TICK 1000
int tx_ring_has_room(void), rx_ring_take(void *, size_t);
void tx_ring_add(const void *, size_t), tx_ring_go(void);
uint64_t timer_ticks(void);
void eth_start(unsigned char mac[6]), random_bytes(void *, size_t);
int read_kernel(unsigned char to[65536]);
END
run gcc -std=c11 -Wall -Wextra -Werror -Wno-unused-parameter -fsyntax-only -I. \
	-Iport/lwip -isystem build/lwip/src/include \
	-include "$O/autoconf.h" -include "$work/world.h" "$work/example.c"
expect 0 '' "the README's example compiles"
finish
