#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init of the machine of test_keep.sh.  While the server is away only what the
# shell does itself, and what is kept, can be done.  By their paths, as this shell
# has programs of the same names in it.
export PATH=/bin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

# connected: a connection to the server is established
connected()
{
	while read -r _ _ _ state _; do
		[ "$state" != 01 ] || return 0
	done </proc/net/tcp
	return 1
}

# locked: KiB that are locked in memory
locked()
{
	while read -r key value _; do
		[ "$key" != Mlocked: ] || echo "$value"
	done </proc/meminfo
}

# waits PID: the process is in state D, as one is that waits for the disk
waits()
{
	read -r _ _ state _ <"/proc/$1/stat"
	[ "$state" = D ]
}

# marked: systemd would spare a process of nbdboot that keeps files
marked()
{
	for line in /proc/[0-9]*/cmdline; do
		tr '\0' ' ' <"$line" 2>/dev/null | grep -q '^@nbdboot keep ' &&
			return
	done
	return 1
}

until dmesg | grep -q 'keep: .* are in memory'; do sleep 0.1; done
# as each init does
mount -t tmpfs none /tmp
while marked; do sleep 0.1; done
echo 'guest: it ends with the system'
dmesg | sed -n 's/^.*nbdboot: keep: /guest: keep: /p'
echo "guest: $(locked) KiB are locked"
sync
find /many >/dev/null
echo 'guest: waits for the end of the server'
while connected; do busybox sleep 0.1; done
# the first time what was used lately stays
for _ in 1 2 3 4; do echo 3 >/proc/sys/vm/drop_caches; done
echo "guest: sorted: $(printf 'b\na\n' | /bin/sort | busybox tr '\n' ' ')"
echo "guest: script: $(/bin/kept)"
[ -e /usr/share/empty/name ] || echo 'guest: nothing is there'
/bin/uniq </dev/null >/dev/null &
other=$!
until waits $other; do busybox sleep 0.1; done
echo 'guest: another program waits'
echo "guest: sorted again: $(printf 'd\nc\n' | /bin/sort | busybox tr '\n' ' ')"
waits $other && echo 'guest: the server may come back'
wait $other && echo 'guest: the other program has ended'
echo 'guest: end'
exec /run/initramfs/shutdown poweroff
