#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PID 1 of the machines of test_connect.sh and bench/connect.sh.  Sources
# /tests, whose output is on the second serial port, or test.tty= (guest/connect.sh
# prints TAP).  The program under test is /init, and /bin/nbdboot.
export PATH=/bin:/sbin LD_LIBRARY_PATH=/lib/x86_64-linux-gnu

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

mkdir -p /proc /sys /dev /tmp /run /etc
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
cd /tmp || exit

word()
{
	tr ' ' '\n' </proc/cmdline | sed -n "s/^test.$1=//p"
}
tty=$(word tty)
exec >"/dev/${tty:-ttyS1}" 2>&1

ok()
{
	echo "ok - $1"
}

not_ok()
{
	echo "not ok - $1"
	shift
	[ $# = 0 ] || echo "# $*"
}

# check SENTENCE COMMAND...: ok if the command succeeds.
check()
{
	sentence=$1
	shift
	if "$@" >out 2>err; then
		ok "$sentence"
	else
		not_ok "$sentence" "status $? of: $*"
		sed 's/^/# /' out err
	fi
}

# must COMMAND...: without it nothing can be measured; vm_ended() says so.
must()
{
	"$@" >out 2>err || {
		echo "failed: $*"
		sed 's/^/# /' out err
		poweroff -f
	}
}

# Prints the devices that are connected or have a size.
devices()
{
	for block in /sys/block/nbd*; do
		[ -e "$block" ] || continue
		[ ! -e "$block/pid" ] && [ "$(cat "$block/size")" = 0 ] ||
			echo "${block##*/}"
	done
}

# refused SENTENCE STATUS PATTERN COMMAND...: the command ends with STATUS and a
# message that matches.  It prints nothing else, and changes no device.
refused()
{
	sentence=$1 want=$2 pattern=$3
	shift 3
	before=$(devices)
	"$@" >out 2>err
	status=$?
	wrong=
	[ $status = "$want" ] || wrong="status $status, not $want"
	grep -qi "$pattern" err || wrong="$wrong, no \"$pattern\" in the message"
	grep -q '^nbdboot: ' err || wrong="$wrong, no name in the message"
	[ ! -s out ] || wrong="$wrong, output: $(cat out)"
	[ "$(devices)" = "$before" ] || wrong="$wrong, devices: $(devices)"
	if [ "$wrong" ]; then
		not_ok "$sentence" "$wrong: $*"
	else
		ok "$sentence"
	fi
	sed 's/^/# /' err
}

# Fails if a process of the program is left.
nobody_left()
{
	for exe in /proc/[0-9]*/exe; do
		[ -e "$exe" ] || continue # a thread of the kernel
		case $(readlink "$exe") in
		/init | */nbdboot) return 1 ;;
		esac
	done
}

# nbdkit_starts ARGUMENT...: a server in the machine; sets server.  Without it the
# machine ends: nothing would come out of the FIFO.
nbdkit_starts()
{
	[ -e /tmp/pid ] || mkfifo /tmp/pid
	nbdkit -P /tmp/pid "$@" >>/tmp/server.log 2>&1 || {
		sed 's/^/# /' /tmp/server.log
		echo "failed: nbdkit $*"
		poweroff -f
	}
	read -r server </tmp/pid
}

# wait_for_port PORT: waits until nobody listens there, as one may that was killed
wait_for_port()
{
	while netstat -ltn | grep -q ":$1 "; do
		sleep 0.1
	done
}

# Starts a server in the machine, on $1.
serve()
{
	socket=$1
	shift
	nbdkit_starts -U "$socket" "$@"
}

unserve()
{
	kill -9 "$server"
}

# connected SENTENCE URI SIZE [OPTION...]: connects as nbd0, and checks at once.
connected()
{
	sentence=$1 uri=$2 size=$3
	shift 3
	device=$(nbdboot connect "$@" "$uri" 2>err)
	status=$?
	sectors=$(cat "/sys/block/$device/size")
	nodes=$(cd /dev && echo nbd0*)
	if [ $status = 0 ] && [ "$device" = nbd0 ] && [ -b /dev/nbd0 ] &&
		[ "$sectors" = $((size / 512)) ] && nobody_left; then
		ok "$sentence"
	else
		not_ok "$sentence" "status $status, device \"$device\"," \
			"$sectors sectors, $nodes"
		sed 's/^/# /' err
	fi
}

# 16 MiB through the page cache, to the server, and back.
data_comes_back()
{
	dd if=data of=/dev/nbd0 bs=1M conv=fsync || return
	echo 3 >/proc/sys/vm/drop_caches
	# set by guest/connect.sh
	# shellcheck disable=SC2154
	[ "$(dd if=/dev/nbd0 bs=1M count=16 | sha256sum)" = "$data_sum" ]
}

fio_verifies()
{
	fio --name=verify --filename=/dev/nbd0 --direct=1 --rw=randwrite \
		--bs=4k --iodepth=16 --ioengine=libaio --size=8M \
		--verify=crc32c --verify_fatal=1 --do_verify=1 \
		--allow_file_create=0 --thread
}

# moves_data SENTENCE
moves_data()
{
	check "$1: the program is gone, and 16 MiB come back as written" \
		data_comes_back
	check "$1: fio verify finds no error" fio_verifies
	check "$1: no process of the program is left" nobody_left
}

# ended SENTENCE NAME: disconnects NAME; nothing is left
ended()
{
	check "$1: disconnect succeeds" nbdboot disconnect "$2"
	if [ "$(devices)" ]; then
		not_ok "$1: nothing is left of the device" "$(devices)"
	else
		ok "$1: nothing is left of the device"
	fi
}

same()
{
	[ "$1" = "$2" ] || {
		echo "\"$1\", not \"$2\""
		return 1
	}
}

# shellcheck source=tests/vm/guest/connect.sh
. /tests

# 1326: a call that the filter of a process of ours refuses
! dmesg | grep type=1326 >out || not_ok 'no system call is refused' "$(cat out)"
echo 'end of tests'
poweroff -f
