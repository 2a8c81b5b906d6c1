# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Results as TAP lines, servers on the loopback, and a folder that goes away:
# what the scripts share.  Sourced; $O is the build folder, $work the folder.
set -eu

O=${O:-build}
case $O in
/*) ;;
*) O=$PWD/$O ;;
esac

work=$(mktemp -d)
servers=''

# Replaced by scripts that have more to end than servers.
at_exit()
{
	:
}

cleanup()
{
	at_exit
	for pid in $servers; do
		kill "$pid" 2>/dev/null || true
	done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

count=0
failed=0
ok()
{
	count=$((count + 1))
	echo "ok $count - $*"
}

not_ok()
{
	count=$((count + 1))
	failed=$((failed + 1))
	echo "not ok $count - $*"
}

# The plan, and the status of the script.
finish()
{
	echo "1..$count"
	[ "$failed" = 0 ]
}

# Shows what is in a file, as comments in TAP.
show()
{
	sed 's/^/# /' "$1"
}

# run COMMAND...: sets status; its output is in $work/out and $work/err.
run()
{
	status=0
	"$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# expect STATUS TEXT SENTENCE: after run; TEXT is in the output or the errors.
expect()
{
	if [ "$status" = "$1" ] && { [ ! "$2" ] ||
		cat "$work/out" "$work/err" | grep -qF -e "$2"; }; then
		ok "$3"
		return
	fi
	not_ok "$3"
	echo "# status $status in place of $1, wanted: $2"
	show "$work/out"
	show "$work/err"
}

# The port that process $1 listens on.
port_of()
{
	ss -Hltnp | sed -n "s/.*:\([0-9]*\) .*pid=$1,.*/\1/p" | head -n 1
}

# serve PORT NBDKIT-ARGUMENT...: starts nbdkit on 127.0.0.1, returns when it
# listens: then it writes its pid file, a FIFO.  PORT 0: a free one.  Sets port
# and server (its pid).
serve()
{
	port=$1
	shift
	serve_at -i 127.0.0.1 -p "$port" "$@"
	[ "$port" != 0 ] || port=$(port_of "$server")
	[ "$port" ] || die "nbdkit listens nowhere"
}

# The same, with the address among the arguments (-U SOCKET, or -i and -p).
serve_at()
{
	[ -e "$work/pid" ] || mkfifo "$work/pid"
	nbdkit -P "$work/pid" "$@" || die "nbdkit did not start"
	read -r server <"$work/pid"
	servers="$servers $server"
}

# Ends the latest server at once; its port is free then: the process is gone, or
# one thread of it is left, which waits to be buried.
unserve()
{
	kill -9 "$server"
	until [ ! -e "/proc/$server" ] || [ 2 = "$(grep -cs \
		'^State:.Z\|^Threads:.1$' "/proc/$server/status")" ]; do :; done
}

# daemon_at PORT COMMAND...: starts a server that stays in the foreground and
# returns when it listens on that port.  Sets server.
daemon_at()
{
	daemon_port=$1
	shift
	"$@" >"$work/daemon.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	until [ "$(port_of "$server")" = "$daemon_port" ]; do
		kill -0 "$server" 2>/dev/null || die "$1 did not start:" \
			"$(cat "$work/daemon.log")"
	done
}

# nbd_server_at PORT CONFIGURATION: nbd-server with a process for each client,
# which it has only in the background.  Returns when it listens.
nbd_server_at()
{
	rm -f "$work/nbd-server.pid"
	nbd-server -C "$2" -p "$work/nbd-server.pid" ||
		die "nbd-server did not start"
	until server=$(cat "$work/nbd-server.pid" 2>/dev/null) &&
		[ "$server" ] && [ "$(port_of "$server")" = "$1" ]; do :; done
	servers="$servers $server"
}
