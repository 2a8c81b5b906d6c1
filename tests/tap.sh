# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# What the scripts share: results as TAP lines, servers on the loopback, and a
# temporary directory.  Sourced; $O is the build directory, $work the temporary
# one.
set -eu

O=${O:-build}
case $O in
/*) ;;
*) O=$PWD/$O ;;
esac

work=$(mktemp -d)
servers=''
# In the environment of every process of this script.
export TAP_WORK="$work"

# Scripts that must end more than servers replace this.
at_exit()
{
	:
}

# The number of a server that ended may be that of a stranger by now.
is_ours()
{
	grep -qs "^PPid:.$$\$" "/proc/$1/status" ||
		grep -qsz "^TAP_WORK=$work\$" "/proc/$1/environ"
}

runs()
{
	is_ours "$1" && grep -qs '^State:.[^ZX]' "/proc/$1/status"
}

# A server may wait for a client that is gone: all have 2 s to end.
end_servers()
{
	for pid in $servers; do
		! is_ours "$pid" || kill "$pid" 2>/dev/null || true
	done
	tries=20
	for pid in $servers; do
		while [ "$tries" -gt 0 ] && runs "$pid"; do
			sleep 0.1
			tries=$((tries - 1))
		done
		! runs "$pid" || kill -9 "$pid" 2>/dev/null || true
	done
}

# What servers left: a child of theirs for each connection, a daemon.
end_strangers()
{
	env -u TAP_WORK grep -lsz "^TAP_WORK=$work\$" /proc/[0-9]*/environ |
		while IFS=/ read -r _ _ pid _; do
			kill -9 "$pid" 2>/dev/null || true
		done
}

cleanup()
{
	at_exit
	end_servers
	end_strangers
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

# check calls this after a failure.  Scripts that can show more replace it.
at_failure()
{
	:
}

# check SENTENCE COMMAND...: ok if the command succeeds.
check()
{
	checked=$1
	shift
	if "$@"; then
		ok "$checked"
	else
		not_ok "$checked"
		at_failure
	fi
}

# Prints the plan, and returns the status of the script.
finish()
{
	echo "1..$count"
	[ "$failed" = 0 ]
}

# Prints a file as comments of TAP.
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

# expect STATUS TEXT SENTENCE: run ended so, with TEXT in its output or errors.
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

# identical FILE FILE SENTENCE: they are, after a successful run
identical()
{
	if [ "$status" = 0 ] && cmp "$1" "$2" >>"$work/err" 2>&1; then
		ok "$3"
	else
		not_ok "$3"
		show "$work/err"
	fi
}

# Prints the port that process $1 listens on.
port_of()
{
	ss -Hltnp | sed -n "s/.*:\([0-9]*\) .*pid=$1,.*/\1/p" | head -n 1
}

# Prints a port that is free now and stays the script's own.  It is outside the
# range that the kernel gives to connections, and no other script of this user
# gets it before all others there were given out, 10,000 by default.
free_port()
{
	(
		flock 9
		low=$(cat /proc/sys/net/ipv4/ip_local_port_range)
		low=${low%%[!0-9]*}
		# if that range begins lower, the ports above the default one
		port_min=$((low > 12000 ? low - 10000 : 61000))
		port_max=$((low > 12000 ? low : 65536))
		port_own=$(cat "$port_file" 2>/dev/null) ||
			port_own=$((port_min + $$ % (port_max - port_min)))
		while :; do
			port_own=$((port_own + 1))
			[ "$port_own" -ge "$port_min" ] && [ "$port_own" -lt "$port_max" ] ||
				port_own=$port_min
			[ "$(ss -Htuln "sport = :$port_own")" ] || break
		done
		echo "$port_own" >"$port_file"
		echo "$port_own"
	) 9>>"$port_file.lock"
}
port_file=${TMPDIR:-/tmp}/nbdboot-port.$(id -u)

# serve PORT NBDKIT-ARGUMENT...: starts nbdkit on 127.0.0.1, and returns when it
# listens: it then writes its pid file, a FIFO.  PORT 0 is one of free_port.  Sets
# port and server (its pid).
serve()
{
	port=$1
	shift
	[ "$port" != 0 ] || port=$(free_port)
	serve_at -i 127.0.0.1 -p "$port" "$@"
}

# The same, with the address among the arguments (-U SOCKET, or -i and -p).
serve_at()
{
	[ -e "$work/pid" ] || mkfifo "$work/pid"
	nbdkit -P "$work/pid" "$@" || die "nbdkit did not start"
	read -r server <"$work/pid"
	servers="$servers $server"
}

# Kills the latest server.  Returns when its port is free: the process is gone,
# or is a zombie without other threads.
unserve()
{
	kill -9 "$server"
	until [ ! -e "/proc/$server" ] || [ 2 = "$(grep -cs \
		'^State:.Z\|^Threads:.1$' "/proc/$server/status")" ]; do :; done
}

# end_server [-SIGNAL] PID...: children of this script end.  Returns when nothing
# of them, a port or an answer on its way, is there any more.
end_server()
{
	kill "$@" 2>/dev/null || true
	for ended; do
		[ "${ended#-}" != "$ended" ] || wait "$ended" 2>/dev/null ||
			true
	done
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

# nbd_server_at PORT CONFIGURATION: starts nbd-server in the background, where
# it has a process for each client.  Returns when it listens.
nbd_server_at()
{
	rm -f "$work/nbd-server.pid"
	nbd-server -C "$2" -p "$work/nbd-server.pid" ||
		die "nbd-server did not start"
	until server=$(cat "$work/nbd-server.pid" 2>/dev/null) &&
		[ "$server" ] && [ "$(port_of "$server")" = "$1" ]; do :; done
	servers="$servers $server"
}
