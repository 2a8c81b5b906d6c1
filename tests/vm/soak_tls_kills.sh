#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Roots with TLS 1.2 and 1.3 and 4 connections, whose server is killed at random,
# ROUNDS times twice: the second time while the connections may still be secured
# anew.  VERSION is one of them, without the other.
# VM_SUITE names the kernel, as in lib.sh.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-14400}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/survive.sh
. "$here/survive.sh"

rounds=${ROUNDS:-50}
case $rounds in '' | *[!0-9]*) die "ROUNDS=$rounds is no number" ;; esac

# storm MS: waits for less than that; the moment of the next kill is random
storm()
{
	ms=$(($(od -An -N2 -tu2 /dev/urandom) % $1))
	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
}

again()
{
	start_server --tls=require --tls-certificates="$work/ecdsa"
}

# storms VERSION: with servers from which a device gets that one
storms()
{
	sentence="Linux $version, a root with TLS $1, 4 connections"
	again
	check "$sentence: it boots" begins \
		"loglevel=4 $root_of_tls nbdboot.connections=4"
	round=1
	while [ "$round" -le "$rounds" ]; do
		unserve
		storm 1500
		again
		storm 2000
		unserve
		again
		lives || break
		round=$((round + 1))
	done
	check "$sentence: the root answers after $((2 * rounds)) kills" \
		[ "$round" -gt "$rounds" ]
	ends
}

WATCHER_MAX=$watcher_tls
[ "${VERSION-}" = 1.3 ] || storms 1.2
# A device has TLS 1.3 where there is no other.
printf '[overrides]\n' >"$work/priority"
printf 'disabled-version = tls%s\n' 1.0 1.1 1.2 >>"$work/priority"
export GNUTLS_SYSTEM_PRIORITY_FILE="$work/priority"
[ "${VERSION-}" = 1.2 ] || storms 1.3
finish
