# shellcheck shell=sh disable=SC2154,SC3028
# SPDX-License-Identifier: BSD-2-Clause
# The part of bench/connect.sh in the machine, sourced by guest/init.sh.  Prints
# lines "time WHAT MICROSECONDS".  EPOCHREALTIME is a variable of busybox.

rounds=$(word rounds)

# timed WHAT COMMAND...: runs it and prints its time
timed()
{
	what=$1
	shift
	from=$EPOCHREALTIME
	"$@" >out 2>err || {
		echo "failed: $*"
		sed 's/^/# /' out err
		poweroff -f
	}
	to=$EPOCHREALTIME
	echo "time $what $(((${to%.*} - ${from%.*}) * 1000000 +
		1${to#*.} - 1${from#*.}))"
}

ours()
{
	timed "${1}ours-connect" nbdboot connect -c 4 -d nbd0 nbd://127.0.0.1/
	timed "${1}ours-disconnect" nbdboot disconnect nbd0
}

theirs()
{
	timed "${1}theirs-connect" nbd-client -C 4 127.0.0.1 /dev/nbd0
	timed "${1}theirs-disconnect" nbd-client -d /dev/nbd0
}

ip link set lo up
nbdboot load
[ -e /tmp/pid ] || mkfifo /tmp/pid
nbdkit -i 127.0.0.1 -P /tmp/pid memory 64M
read -r _ </tmp/pid

# Once for the caches, then in turns; each side is first as often.
ours warm-
theirs warm-
round=0
while [ $round -lt "$rounds" ]; do
	if [ $((round % 2)) = 0 ]; then
		ours ''
		theirs ''
	else
		theirs ''
		ours ''
	fi
	round=$((round + 1))
done
