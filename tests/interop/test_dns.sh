#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Name servers that are silent, lie, or never stop (dns.c has the list).  Each
# look-up must end by itself, in namespaces side by side.  TAP on standard output.
#
# NETWORK is the start of a command line that makes another network than the
# loopback.
O=${1:-build}
. "${0%/*}/../tap.sh"
[ "$(id -u)" = 0 ] || die 'network namespaces need root'
PATH=$PATH:/sbin:/usr/sbin
nbdboot=$O/nbdboot
# s until a look-up hangs; it takes 5 s
limit=900
kinds='right nxdomain-aaaa notimp-aaaa refused-aaaa chain silent nxdomain refused
	truncated cut wrong-id loops giant noise empty flood flood-empty'

gcc -O2 -std=c11 -D_GNU_SOURCE -o "$work/dns" "${0%/*}/dns.c"
printf 'nameserver 127.0.0.%s\n' 2 1 >"$work/resolv.conf"

# Runs in a namespace: "status ms" to KIND.came, and the words to KIND.out.  The
# command gets SIGTERM when the server was asked, if KIND has "-term".
cat >"$work/case" <<'END'
kind=$1
mkfifo "$work/$kind.in" "$work/$kind.says"
ip link set lo up
server=${kind%-term}
case $kind in
*-six)
	server=${kind%-six}
	ip -6 addr add 2001:db8::1/128 dev lo
	ip -6 route add default dev lo
	;;
esac
$NETWORK true
mount --bind "$work/resolv.conf" /etc/resolv.conf
nbdkit -i 127.0.0.1 -p 10809 -P "$work/$kind.pid" memory 1M
"$work/dns" "$server" <"$work/$kind.in" >"$work/$kind.says" &
exec 5>"$work/$kind.in" 6<"$work/$kind.says"
read -r _ <&6
began=$(date +%s%3N)
case $kind in
*-term)
	timeout -k 60 "$limit" "$nbdboot" copy nbd://srv.example/ \
		"$work/$kind.copy" >"$work/$kind.out" 2>&1 &
	read -r _ <&6
	kill $!
	;;
*)
	timeout -k 60 "$limit" "$nbdboot" info nbd://srv.example/ \
		>"$work/$kind.out" 2>&1 &
	;;
esac
status=0
wait $! || status=$?
echo "$status $(($(date +%s%3N) - began))" >"$work/$kind.came"
exec 5>&-
kill "$(cat "$work/$kind.pid")"
END

export work nbdboot limit NETWORK="${NETWORK-}"
# lwIP asks one server, by UDP, for one kind of addresses
sixes=''
if [ ! "${NETWORK-}" ]; then
	kinds="$kinds large lies"
	sixes='nxdomain-aaaa-six notimp-aaaa-six refused-aaaa-six large-six'
fi
# look_up KIND: in a network of its own
look_up()
{
	rm -f "$work/$1.in" "$work/$1.says"
	unshare -n -m sh "$work/case" "$1"
}

for kind in $kinds $sixes silent-term flood-term; do
	look_up "$kind" &
	cases="${cases-} $!"
done
# shellcheck disable=SC2086 # a list
wait $cases

# ends KIND: by itself, with a message or with the right answer
ends()
{
	read -r status ms <"$work/$1.came" || return 1
	echo "# $1: status $status after $ms ms: $(head -n 1 "$work/$1.out")"
	case $1-$status in
	# lwIP takes an address from the first 512 bytes of a giant
	right-0 | *-aaaa-0 | *-six-0 | large-0 | lies-0 | chain-0 | loops-0 | giant-0)
		grep -q 'Size: *1048576' "$work/$1.out"
		;;
	right-* | *-aaaa-* | *-six-* | large-* | lies-* | chain-*) return 1 ;;
	*-term-*) [ "$status" != 124 ] && [ "$status" != 137 ] ;;
	*-1) grep -q '^nbdboot: .*srv.example' "$work/$1.out" ;;
	*) return 1 ;;
	esac
}

# soon KIND: in less than half of the time that a silent server takes.  A client
# that waits does so each time, and a machine that was busy is not always.
soon()
{
	for _ in 1 2 3 4 5; do
		read -r _ ms <"$work/$1.came" || return 1
		read -r _ most <"$work/silent.came" || return 1
		[ "$((ms * 2))" -ge "$most" ] || return 0
		echo "# $1: $ms ms, again"
		look_up "$1"
	done
	return 1
}

for kind in $kinds $sixes; do
	check "a look-up ends: $kind" ends "$kind"
done
for kind in nxdomain notimp refused; do
	check "without IPv6 an AAAA is not waited for: $kind" soon $kind-aaaa
	[ ! "$sixes" ] || check "nor with it, if the server has none: $kind" \
		soon $kind-aaaa-six
done
if [ "$sixes" ]; then
	check 'what is too long for UDP is asked for by TCP' soon large-six
	check 'of two servers the one that knows the name counts' soon lies
fi
check 'SIGTERM ends the wait for a silent name server' ends silent-term
check 'SIGTERM ends the wait for one that never stops' ends flood-term
finish
