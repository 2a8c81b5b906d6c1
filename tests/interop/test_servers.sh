#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands of nbdboot-servers(7), typed as they stand, and what each server
# gives then.  TAP on standard output.
#
# The server is a mount namespace with its own /etc/nbd-server, /srv and
# /var/tmp, and a network with the address of the page.
[ "$(id -u)" = 0 ] || {
	echo 'ok - the commands for servers # SKIP only root can type them'
	exit
}
if [ ! "${SERVERS_INSIDE-}" ]; then
	SERVERS_INSIDE=1 exec unshare -m -n sh "$0" "$@"
fi
unset SERVERS_INSIDE
O=${1:-build}
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"
PATH=$PATH:/sbin:/usr/sbin
nbdboot=$O/nbdboot
page=${0%/*}/../../boot/cli/nbdboot-servers.7
image=/srv/nbd/shared/root-1

# Each server is a process of a shell that has ended.
at_exit()
{
	for pid in $(ss -Hltnp | sed -n 's/.*pid=\([0-9]*\),.*/\1/p' | sort -u); do
		! is_ours "$pid" || kill -9 "$pid" 2>/dev/null || true
	done
}

ip link set lo up
ip addr add 192.0.2.1/32 dev lo
mkdir -p "$work/etc/conf.d" "$work/var"
mount -t tmpfs srv /srv
mount --bind "$work/var" /var/tmp
mkdir -p /srv/nbd/shared /srv/nbd/own
[ -d /etc/nbd-server ] || die "no nbd-server (make deps)"
mount --bind "$work/etc" /etc/nbd-server
printf '%s\n' '[generic]' 'includedir = /etc/nbd-server/conf.d' \
	>/etc/nbd-server/config

head -c 8M /dev/urandom >"$image"
want=$(sha256sum <"$image")

# type_in NAME: types a block of the page
type_in()
{
	sed -n "/^\.\\\\\" type: $1\$/,/^\.Ed/p" "$page" | sed '/^\./d
		s/\\e/\\/g; s/\\&//g' >"$work/block"
	[ -s "$work/block" ] || die "no block $1 in the manual"
	if sh -eu "$work/block" >"$work/out" 2>&1 </dev/null; then
		ok "typed: $1"
	else
		not_ok "typed: $1"
		show "$work/out"
	fi
}

# listening PORT: its server may be a daemon that has left already
listening()
{
	tries=3000
	until ss -Hltn "src :$1" | grep -q .; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || die "nobody listens at port $1"
		sleep 0.1
	done
}

# gives PORT/EXPORT SENTENCE: the image comes from there
gives()
{
	listening "${1%%/*}"
	"$nbdboot" copy "nbd://192.0.2.1:$1" - 2>"$work/err" | sha256sum \
		>"$work/sum" || true
	if [ "$(cat "$work/sum")" = "$want" ]; then
		ok "$2"
	else
		not_ok "$2"
		show "$work/err"
	fi
}

# writes PORT/EXPORT: changes its first MiB
writes()
{
	head -c 1M /dev/zero >"$work/zeroes"
	{
		cat "$work/zeroes"
		tail -c +1048577 "$image"
	} >"$work/changed"
	"$nbdboot" copy "$work/changed" "nbd://192.0.2.1:$1" 2>"$work/err" ||
		show "$work/err"
	"$nbdboot" copy "nbd://192.0.2.1:$1" - 2>"$work/err" |
		cmp -s - "$work/changed"
}

type_in shared
gives 10809/root-1 'the shared image comes from nbdkit'
type_in qcow2
gives 10811/root 'an image of its own begins as the shared one'
check 'and takes what the machine writes' writes 10811/root
type_in cow
gives 10812/ 'so does one whose changes are not kept'
check 'which can be written, too' writes 10812/
check 'the shared image has not changed' \
	[ "$(sha256sum <"$image")" = "$want" ]
type_in proxy
gives 10813/ 'a proxy has what the far server gives'
kill -9 "$(ss -Hltnp 'src :10809' | sed -n 's/.*pid=\([0-9]*\),.*/\1/p')"
gives 10813/ 'and has kept it when that one is gone'
type_in xz
gives 10814/ 'a compressed image is unpacked'
mkdir "$work/http"
ln -s "$image" "$work/http/root-1"
busybox httpd -f -p 192.0.2.1:8080 -h "$work/http" &
servers="$servers $!"
listening 8080
type_in http
gives 10815/ 'an image comes from an HTTP server'
type_in nbd-server
gives 10809/root 'and from nbd-server'
finish
