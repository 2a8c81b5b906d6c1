# shellcheck shell=sh disable=SC2154,SC3028
# SPDX-License-Identifier: BSD-2-Clause
# What bench/connect.sh measures, read by guest/init.sh in the machine: lines
# "time WHAT MICROSECONDS".  EPOCHREALTIME is busybox's.

rounds=$(word rounds)

# timed WHAT COMMAND...
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

# Once for the caches, then in turns, each side as often the first.
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
