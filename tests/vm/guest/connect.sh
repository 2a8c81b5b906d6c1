# shellcheck shell=sh disable=SC2154,SC2034,SC2016,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_connect.sh in the machine, sourced by guest/init.sh.

tcp=nbd://10.0.2.2:$(word port)/
tcp_size=$(word size)
modules=/lib/modules/$(uname -r)

# ---- a kernel without the driver ----

mv "$modules" "$modules.away"
refused 'a kernel without the nbd module is reported' 1 'modul' \
	nbdboot connect "$tcp"
mv "$modules.away" "$modules"

modprobe -a virtio_pci virtio_net
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up

# ---- wrong arguments, and servers that cannot be reached ----

refused 'an unknown option is a usage error' 2 'option' \
	nbdboot connect --nonsense "$tcp"
refused 'a URI with a malformed port is a usage error' 2 'port' \
	nbdboot connect nbd://10.0.2.2:x/
refused 'a port where nobody listens is named' 1 '10.0.2.15' \
	nbdboot connect nbd://10.0.2.15:9/
refused 'a socket that does not exist is named' 1 '/tmp/none' \
	nbdboot connect /tmp/none

# ---- load ----

check 'load loads the driver' nbdboot load
check 'the driver is there after load' test -d /sys/module/nbd
check 'unload unloads it' nbdboot unload
check 'it is gone after unload' test ! -d /sys/module/nbd

# ---- TCP and UNIX, 1 and 4 connections ----

echo 'root:x:0:0::/:/bin/sh
nobody:x:65534:65534::/:/bin/sh' >/etc/passwd
dd if=/dev/urandom of=data bs=1M count=16 2>/dev/null
data_sum=$(sha256sum <data)

partitions()
{
	for part in nbd0p1 nbd0p2; do
		[ -b /dev/$part ] || {
			ls /dev/nbd0*
			return 1
		}
	done
}

connected 'connect over TCP loads the driver, the device is ready' \
	"$tcp" "$tcp_size"
check 'the partitions of its GPT are there at once' partitions
# held_by_tail DEVICE: a process of that name has it open
held_by_tail()
{
	tail -f /dev/null <"/dev/$1" &
	until grep -qx tail /proc/$!/comm; do :; done
}
held_by_tail nbd0p2
refused 'a process that has a partition open keeps the device' 1 \
	"nbd0 is in use by tail (pid $!)" nbdboot disconnect nbd0
kill $!
wait $!
moves_data 'TCP, 1 connection'

# lists TEXT [OPTION...]: the list has one line, of nbd0, with the text
lists()
{
	text=$1
	shift
	list=$(nbdboot list "$@") || return 1
	echo "$list"
	case $list in
	*nbd0*"$text"*) ;;
	*) return 1 ;;
	esac
}

# The canonical form of the URI may lack its last slash.
check 'list shows the device and its URI' lists "${tcp%/}"
check 'list --json shows them too' lists "${tcp%/}" --json
refused 'a device that is connected is refused' 1 'use\|busy\|connected' \
	nbdboot connect -d nbd0 "$tcp"
check 'and goes on after that' \
	dd if=/dev/nbd0 of=/dev/null bs=4k count=1 iflag=direct
refused 'disconnecting as somebody else is refused' 1 \
	'root\|permi\|privileg' \
	su nobody -c 'nbdboot disconnect nbd0'
ended 'TCP, 1 connection' nbd0
check 'list is empty then' sh -c '[ -z "$(nbdboot list)" ]'
refused 'disconnecting twice is refused' 1 'nbd0' nbdboot disconnect nbd0
refused 'disconnecting what does not exist is refused' 1 'nbd99' \
	nbdboot disconnect nbd99
refused 'connecting as somebody else is refused' 1 'root\|permi\|privileg' \
	su nobody -c "nbdboot connect $tcp"

connected 'connect -c 4 over TCP' "$tcp" "$tcp_size" -c 4
moves_data 'TCP, 4 connections'
ended 'TCP, 4 connections' /dev/nbd0

serve /tmp/s memory 128M
for n in 1 4; do
	connected "connect -c $n over a UNIX socket" 'nbd+unix:///?socket=/tmp/s' \
		$((128 * 1048576)) -c $n
	moves_data "UNIX socket, connections: $n"
	ended "UNIX socket, connections: $n" nbd0
done

# While the kernel is slow to make threads, the rescuer of the driver's queue
# may take several connections, of which it would read only the first.
readers()
{
	cat /proc/[0-9]*/comm 2>/dev/null | grep -c "$1"
}

all_are_read()
{
	same "$(readers '^kworker/u.*+k*nbd0-recv$')" "$1" &&
		same "$(readers 'nbd0-recv+nbd0-recv')" 0
}

spin()
{
	while :; do :; done
}

spin &
spinners=$!
spin &
spinners="$spinners $!"
# each needs more threads than the one before
for n in 6 10 14; do
	connected "connect -c $n on a busy machine" 'nbd+unix:///?socket=/tmp/s' \
		$((128 * 1048576)) -c $n
	check "the kernel reads from all $n" all_are_read $n
	nbdboot disconnect nbd0
done
kill $spinners

connected 'a bare path is a UNIX socket' /tmp/s $((128 * 1048576))
ended 'a bare path' nbd0

# ---- copy to a block device and from one ----

connected 'a device to copy to' /tmp/s $((128 * 1048576))
check 'copy writes a block device, and --verify agrees' \
	nbdboot copy --verify data /dev/nbd0
check 'copy reads a block device' \
	sh -c 'nbdboot copy /dev/nbd0 back && cmp -n 16777216 data back'
rm -f back
truncate -s 200M long
refused 'a device that is too small is refused' 1 'too small' \
	nbdboot copy long /dev/nbd0
mkswap /dev/nbd0 >/dev/null
swapon /dev/nbd0
refused 'a device that is in use is refused' 1 'in use' \
	nbdboot copy data /dev/nbd0
refused 'and is not disconnected' 1 'nbd0 is in use by swap' \
	nbdboot disconnect nbd0
swapoff /dev/nbd0

# ---- a device that is open: nothing of this claims it ----

# keeps SENTENCE PATTERN: disconnect names the user, and the device goes on
keeps()
{
	refused "$1 keeps the device" 1 "nbd0 is in use by $2" \
		nbdboot disconnect nbd0
	check "$1: which goes on" \
		dd if=/dev/nbd0 of=/dev/null bs=4k count=1 iflag=direct
}

held_by_tail nbd0
keeps 'a process that has it open' "tail (pid $!)"
kill $!
wait $!
modprobe loop
losetup /dev/loop0 /dev/nbd0
keeps 'a loop device' loop0
losetup -d /dev/loop0

# held COMMAND WAY: nbd0 is in use when nbdboot COMMAND begins; `for a moment` not for
# long.  The file holds is there until let_go.
held()
{
	(
		exec 3</dev/nbd0
		: >holds
		until [ ! -e holds ] || grep -qs "$1" /proc/[0-9]*/cmdline; do
			sleep 0.1
		done
		if [ "$2" = 'for a moment' ]; then
			sleep 0.5
		else
			while [ -e holds ]; do
				sleep 0.1
			done
		fi
	) &
	until [ -e holds ]; do
		sleep 0.1
	done
}

let_go()
{
	rm holds
	wait
}

# as udev does
held disconnect 'for a moment'
check 'what has it open for a moment is waited for' nbdboot disconnect nbd0
let_go
connected 'the device again' /tmp/s $((128 * 1048576))
ended 'a device that was copied to' nbd0

# ---- options ----

logical()
{
	same "$(cat /sys/block/nbd0/queue/logical_block_size)" "$1"
}

connected 'connect -b 4096' /tmp/s $((128 * 1048576)) -b 4096
check 'the block size is 4096 then' logical 4096
ended 'a block size of 4096' nbd0
connected 'connect without -b' /tmp/s $((128 * 1048576))
check 'the block size is 512 then' logical 512
ended 'a block size of 512' nbd0
connected 'connect -R' /tmp/s $((128 * 1048576)) -R
check 'the device is read-only then' same "$(cat /sys/block/nbd0/ro)" 1
ended 'a read-only device' nbd0
refused 'a block size that the kernel cannot have is refused' 2 '8192' \
	nbdboot connect -b 8192 /tmp/s

check 'connect -d nbd5 prints nbd5' \
	sh -c '[ "$(nbdboot connect -d nbd5 /tmp/s)" = nbd5 ]'
ended 'connect -d' nbd5
check 'connect -d /dev/nbd5 is taken too' \
	sh -c '[ "$(nbdboot connect -d /dev/nbd5 /tmp/s)" = nbd5 ]'
check 'a second device gets another name' \
	sh -c 'd=$(nbdboot connect /tmp/s) && [ $d != nbd5 ] &&
		nbdboot disconnect $d'
ended 'the first one' nbd5
unserve

# ---- refusals of a server ----

# Without the multi-conn filter, which fails an assertion in nbdkit 1.32 when a
# client leaves early.
serve /tmp/single eval get_size='echo 16M' \
	pread='head -c $3 /dev/zero'
refused 'several connections to a server without multi-conn are refused' 1 \
	'multi' nbdboot connect -c 4 /tmp/single
connected 'but one is not' /tmp/single $((16 * 1048576)) -c 1
ended 'one connection' nbd0
unserve

serve /tmp/odd memory 1000001
connected 'bytes that are less than a block are left out' /tmp/odd 999936
cp err warning
check 'with a warning' grep -q 'the last 65 bytes are not part of the device' \
	warning
ended 'one with such a size' nbd0
connected 'and so with blocks of 4096' /tmp/odd 999424 -b 4096
ended 'one with such blocks' nbd0
unserve

serve /tmp/4k --filter=blocksize-policy memory 16M blocksize-minimum=4096 \
	blocksize-preferred=4096 blocksize-maximum=65536 \
	blocksize-error-policy=error
connected "a server's minimum block size" /tmp/4k $((16 * 1048576))
check 'is honoured' logical 4096
check 'and its maximum' dd if=/dev/nbd0 of=/dev/null bs=1M
refused 'which tune does not exceed' 2 'accepts at most 65536 bytes' \
	nbdboot tune nbd0 max_sectors_kb=128
check 'but may go below' nbdboot tune nbd0 max_sectors_kb=32
ended 'a server that wants 4096' nbd0
unserve

serve /tmp/named --filter=exportname memory 16M \
	exportname=right exportname-strict=true
refused 'an export that the server does not have is named' 1 'wrong' \
	nbdboot connect -n wrong /tmp/named
connected 'one that it has is connected' 'nbd+unix:///right?socket=/tmp/named' \
	$((16 * 1048576))
ended 'a named export' nbd0
unserve

serve /tmp/ro -r memory 16M
connected 'a read-only export' /tmp/ro $((16 * 1048576))
check 'makes a read-only device' same "$(cat /sys/block/nbd0/ro)" 1
ended 'a read-only export' nbd0
unserve

# ---- the root of scripts ----

# is_root DEVICE
is_root()
{
	nbdboot parse-root -c "root=$tcp" >root || return
	grep "root_device='$1'" root
}

held parse-root 'for a moment'
check 'a root takes nbd0, which udev has open for a moment' is_root 0
let_go
check 'it is connected' nbdboot disconnect nbd0
held parse-root 'for long'
check 'but another device, if somebody goes on using that' is_root '[1-9][0-9]*'
let_go
check 'that is connected, too' nbdboot disconnect \
	"nbd$(sed -n "s/.*root_device='\([0-9]*\)'.*/\1/p" root)"
