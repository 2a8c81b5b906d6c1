#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot top leaves the terminal as it was, however it ends.  vm/test_latency.sh
# has what it shows.
O=${1:-build}
. "${0%/*}/../tap.sh"
export nbdboot="$O/nbdboot" work

cat >"$work/session" <<'END'
stty -a >"$work/before"
sh -c 'echo $$ >"$work/pid"; exec "$nbdboot" top'
echo "$?" >"$work/status"
stty -a >"$work/after"
END

# The pid of the program, once it has drawn its screen; fails if it has ended before.
drawn()
{
	until grep -q 'q ends' "$work/screen"; do
		runs "$session" || return
	done
	cat "$work/pid"
}

# ends_by SENTENCE COMMAND...: runs the command with the pid of top; then the
# terminal is as it was, and the main screen is back, with its cursor.
ends_by()
{
	sentence=$1
	shift
	rm -f "$work/keys" "$work/before" "$work/after" "$work/status" \
		"$work/inside"
	mkfifo "$work/keys"
	: >"$work/screen"
	SHELL=/bin/sh script -qfec \
		". $work/session" "$work/screen" <"$work/keys" >/dev/null &
	session=$!
	exec 4>"$work/keys"
	if ! pid=$(drawn) || ! "$@" "$pid"; then
		kill "$session" 2>/dev/null || :
	fi
	wait $session || :
	exec 4>&-
	if cmp -s "$work/before" "$work/after" &&
		grep -q -- '-icanon' "$work/inside" &&
		[ "$(cat "$work/status")" = 0 ] &&
		sed 1d "$work/screen" | tr -d '\r\n' |
		grep -q "$(printf '\033\\[?25h\033\\[?1049l')[^$(printf '\033')]*$"
	then
		ok "$sentence"
	else
		not_ok "$sentence"
		diff "$work/before" "$work/after" | sed 's/^/# /'
		cat -v "$work/screen" | tail -n 3 | sed 's/^/# /'
	fi
}

# The settings of the terminal while top runs.
look()
{
	stty -a <"/proc/$1/fd/1" >"$work/inside"
}

press()
{
	look "$2" &&
		printf %s "$1" >&4
}

signal()
{
	look "$2" &&
		kill -"$1" "$2"
}

stop_and_go()
{
	look "$1"
	kill -TSTP "$1"
	until grep -q '^State:.T' "/proc/$1/status"; do runs "$session" || return; done
	stty -a <"/proc/$1/fd/1" >"$work/stopped"
	kill -CONT "$1"
	until grep -q '^State:.S' "/proc/$1/status"; do runs "$session" || return; done
	kill -TERM "$1"
}

ends_by 'top ends with q' press xq
for name in TERM INT HUP QUIT PIPE; do
	ends_by "top ends with SIG$name" signal $name
done
ends_by 'top stops and goes on' stop_and_go
if cmp -s "$work/before" "$work/stopped"; then
	ok 'and gives the terminal back while it is stopped'
else
	not_ok 'and gives the terminal back while it is stopped'
fi
run "$nbdboot" top
expect 2 'no terminal' 'without a terminal it is refused'

# ---- a trace that is not watched to its end ----

# A terminal that is gone takes the instance of tracefs with it, which would go on
# recording, and end each later call.  A directory has the part of tracefs.
tracing=$work/tracing
mkdir -p "$tracing/instances" "$tracing/events/nbd"
sed -e "s|^tracing=.*|tracing=$tracing|" -e "s|rmdir|rm -r|" \
	-e "s|^mkdir [^ ]*|mkdir -p \$instance/events/nbd \$instance/events/block/block_getrq \
		\$instance/events/block/block_rq_issue|" \
	"${0%/*}/../../boot/trace/nbdlatency-tracefs" >"$work/tracefs"
# The signal comes while the instance is made, or in the wait.
mkdir "$work/at-mkdir" "$work/at-sleep"
cat >"$work/at-mkdir/mkdir" <<END
#!/bin/sh
$(command -v mkdir) "\$@"
kill -s "\$signal" \$PPID
END
cat >"$work/at-sleep/sleep" <<END
#!/bin/sh
kill -s "\$signal" \$PPID
exec $(command -v sleep) "\$@"
END
chmod 755 "$work"/at-*/*
for at in mkdir sleep; do
	for signal in HUP INT TERM; do
		# in the foreground, as a shell ignores INT in the background
		run env PATH="$work/at-$at:$PATH" signal="$signal" \
			sh "$work/tracefs" 100
		check "nbdlatency-tracefs leaves no instance after $signal at $at" \
			[ ! "$(ls "$tracing/instances")" ]
		rm -rf "$tracing/instances/nbdlatency"
	done
done
: >"$tracing/instances/nbdlatency"
run sh "$work/tracefs" 100
check 'nor does it remove that of another' [ -e "$tracing/instances/nbdlatency" ]
finish
