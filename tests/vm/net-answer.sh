#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A bad DHCP server: reads one message of the client from standard input, and
# broadcasts its answers on br0.
#
#   net-answer.sh nak DIR      offers, then refuses the request and reports that
#                              to the FIFO DIR/refused
#   net-answer.sh garbage DIR  sends bad answers of all kinds around a good one,
#                              which has bad options too
set -eu

mode=$1 dir=$2
# everything is hexadecimal
message=$(od -An -v -tx1 | tr -d ' \n')

# field OFFSET BYTES
field()
{
	printf %s "$message" | cut -c "$(($1 * 2 + 1))-$((($1 + $2) * 2))"
}

xid=$(field 4 4)
mac=$(field 28 6)
# our client sends the type (53) first
type=$(field 242 1)
server=3604c0000201
address=c0000242 # 192.0.2.66
cookie=63825363

zeros()
{
	printf "%0$(($1 * 2))d" 0
}

send()
{
	printf %s "$1" | busybox xxd -r -p | socat -u - \
		UDP4-DATAGRAM:255.255.255.255:68,broadcast,so-bindtodevice=br0
}

# answer ADDRESS XID COOKIE OPTIONS
answer()
{
	send "02010600${2}00008000$(zeros 4)$1$(zeros 8)$mac$(zeros 202)$3$4"
}

text()
{
	printf %s "$1" | od -An -v -tx1 | tr -d ' \n'
}

# option CODE HEX
option()
{
	printf '%02x%02x%s' "$1" $((${#2} / 2)) "$2"
}

# Each answer has one fault and an address of its own, which shows if it is
# taken.
bad()
{
	good="3501$1$server"
	answer c0000243 "$xid" 63825364 "${good}ff"
	answer c0000244 00000000 $cookie "${good}ff"
	answer c0000245 "$xid" $cookie "3501${1}ff"
	answer c0000246 "$xid" $cookie "$good$(option 17 "$(text x)")11ff41"
	answer c0000247 "$xid" $cookie "${good}11"
	answer 7f000009 "$xid" $cookie "${good}ff"
	answer ffffffff "$xid" $cookie "${good}ff"
	# the options continue in the file name, and one exceeds it
	send "02010600${xid}00008000$(zeros 4)c0000248$(zeros 8)$mac$(zeros \
		74)11ff$(zeros 126)$cookie${good}340101ff"
	send "02010600$xid"
	send "$(field 0 300)"
}

garbage()
{
	bad "$1"
	answer $address "$xid" $cookie "3501$1$server$(option 51 00000e10
	)$(option 1 ff00ff00)$(option 3 c00002)$(option 6 c000020105
	)$(option 26 05)$(option 121 4dc0000201)$(option 12 "$(text "a;b")0a"
	)$(option 15 "$(text "\$(reboot)")")$(option 253 "$(zeros 255)"
	)$(option 17 "$(text nbd://192.0.2.1/root)")ff"
}

case $mode,$type in
nak,01)
	answer $address "$xid" $cookie "350102$server$(option 51 00000e10)ff"
	;;
nak,03)
	answer 00000000 "$xid" $cookie "350106${server}ff"
	echo refused >"$dir/refused"
	;;
garbage,01) garbage 02 ;;
garbage,03) garbage 05 ;;
esac
