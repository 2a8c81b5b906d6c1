#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The tests of nbdboot with real and hostile servers, with lwIP in place of the
# system's sockets: sockets.sh BUILD [SCRIPT...]
#
# BUILD/over/nbdboot is the program (over.c).  The servers are those of the
# scripts, on the loopback address, which the other end of the tap device serves
# as well; names come from dnsmasq.  Scripts whose programs run side by side make
# a network for each, by tap0.sh.
O=${1:-build}
shift
[ $# -gt 0 ] || set -- bad_input exports info copy tls faults dns
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
here=$(cd "${0%/*}" && pwd)

namespace
srv=$ns
at "$srv" sh "$here/tap0.sh" true
dhcpd_on tap0 10.9.0.50 10.9.0.59 --port=53 --host-record=localhost,127.0.0.1
radvd_on tap0 'prefix fd09::/64 { };'

# The frames that all of the script's programs sent.
export LWIP_FRAMES="$work/frames"
sent()
{
	awk '{ n += $1 } END { print n + 0 }' "$LWIP_FRAMES"
}

# network_of SCRIPT: what it runs its programs by
network_of()
{
	case $1 in
	dns) echo "sh $here/tap0.sh" ;;
	faults) echo "unshare -n sh $here/tap0.sh" ;;
	esac
}

# options_of SCRIPT: those of its programs' sanitizers.  The search for leaks, at
# the end of each, takes longer than the end that test_faults.sh measures.
options_of()
{
	[ "$1" != faults ] || echo detect_leaks=0
}

for script; do
	: >"$LWIP_FRAMES"
	# with sanitizers fewer programs of test_faults.sh end in time
	at "$srv" env -C "$PWD" SERVER=10.9.0.1 SERVER_IP6=fd09::1 JOBS=8 \
		SHARE="${SHARE:-6}" \
		NETWORK="$(network_of "$script")" \
		ASAN_OPTIONS="$(options_of "$script")" \
		sh "$here/../interop/test_$script.sh" "$O/over" || failed=1
	frames=$(sent)
	# bad_input has two servers, and all of its frames fit into a page
	if [ "$frames" -ge 20 ]; then
		ok "$script ran over lwIP, which sent $frames frames"
	else
		not_ok "$script ran over lwIP, which sent $frames frames"
	fi
done
[ "$failed" = 0 ]
