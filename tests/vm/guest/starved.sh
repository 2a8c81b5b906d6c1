# shellcheck shell=sh disable=SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by guest/scale.sh: connections are replaced while the threads that
# read from them do not get to run.  Such a thread is still inside its dead
# socket when the next one is ready to take its place.

# Those threads run on CPU 3 only, and a process with real-time priority on it
# leaves them a twentieth of its time.  It takes nearly 2 s at once: longer than
# nbdboot waits for a new thread.
starve()
{
	echo 2000000 >/proc/sys/kernel/sched_rt_period_us
	echo 1900000 >/proc/sys/kernel/sched_rt_runtime_us
	echo 8 >/sys/devices/virtual/workqueue/cpumask
	chrt -f 50 taskset 8 sh -c 'while :; do :; done' &
	hog=$!
}

feed()
{
	kill -9 $hog
	wait $hog
	echo f >/sys/devices/virtual/workqueue/cpumask
	echo 950000 >/proc/sys/kernel/sched_rt_runtime_us
	echo 1000000 >/proc/sys/kernel/sched_rt_period_us
}

# A read that begins after the connection died: the driver learns of it by
# sending, not from the thread.
keep_reading()
{
	while [ ! -e /tmp/enough ]; do
		taskset 1 dd if=/dev/nbd0 of=/dev/null bs=4k count=1 \
			iflag=direct 2>>/tmp/dd.log &
		sleep 0.05
	done
	wait
}

dmesg -c >/dev/null
file_server
taskset -p 7 $server >/dev/null
nbdboot connect -t 10 -m 2 -c 2 -d nbd0 nbd://$address/ >/dev/null
keep_reading &
reading=$!
starve
i=0
while [ $i -lt 10 ]; do
	taskset 7 nbdboot rotate nbd0 || break
	i=$((i + 1))
done
feed
check 'rotate 10 times while the threads that read hardly run' same $i 10
check 'no thread was inside a socket that was freed' sh -c \
	'! dmesg | grep -E "WARNING|BUG|Oops"'
check 'all connections live' live 2
touch /tmp/enough
wait $reading
check 'and no read failed' sh -c '! grep -i error /tmp/dd.log'
nbdboot disconnect nbd0
kill -9 $server
