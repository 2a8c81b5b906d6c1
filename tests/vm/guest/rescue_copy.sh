# shellcheck shell=sh disable=SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_rescue_copy.sh in the machine, sourced by guest/init.sh.

ip link set lo up
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth0
must insmod /dm-mod.ko
must insmod /dm-flakey.ko
to=nbd://10.0.2.2:$(word to)
from=nbd://10.0.2.2:$(word from)
sectors=$(cat /sys/block/ubda/size)

# Tables of the disk: with errors at two places, which dm-flakey makes by being
# down always, and without.
linear()
{
	echo "$1 $2 linear /dev/ubda $1"
}

flakey()
{
	echo "$1 $2 flakey /dev/ubda $1 0 3600"
}

bad()
{
	linear 0 5000
	flakey 5000 8
	linear 5008 $((sectors - 5008 - 16))
	flakey $((sectors - 16)) 16
}

# status N COMMAND...: it ends with that status; its messages are in err
status()
{
	want=$1
	shift
	"$@" >out 2>err
	got=$?
	[ "$got" = "$want" ] || {
		cat out
		return 1
	}
}

# printed SUM: the copy has
printed()
{
	grep -q "^$1  " out
}

check 'there is no init in this program' sh -c '! nbdboot help init'
bad >table
must dmsetup create --noudevsync disk table
broken=/dev/dm-0
check 'a copy without --skip-bad ends at the first error' \
	status 1 nbdboot copy "$broken" "$to"
cp err said
check 'and names it' grep -q "read $broken at offset 2560000" said
check 'with it, it reads on' status 3 nbdboot copy --skip-bad=/tmp/map \
	--hash sha256 "$broken" "$to"
cp err said
check 'and counts what is missing' grep -q '12288 bytes in 2 areas' said
check 'and the map has the places' [ "$(grep -c -- '  -$' /tmp/map)" = 2 ]
linear 0 "$sectors" >table
must dmsetup suspend --noudevsync disk
must dmsetup load disk table
must dmsetup resume --noudevsync disk
check 'a disk that recovers is copied to its end' status 0 nbdboot copy \
	--resume --skip-bad=/tmp/map --hash sha256 "$broken" "$to"
cp out said
check 'with the hash of all of it' grep -q "^$(word disk)  $to" said

check 'a partition, from a server that fails half of all reads' status 0 \
	nbdboot copy --part PARTLABEL=rescue --to-part 2 --skip-bad=/tmp/map2 \
	--retries 100 --hash sha256 "$from" /dev/ubdb
cp out said
check 'has its hash' grep -q "^$(word part)  /dev/ubdb" said
check 'into one that is too small' status 1 nbdboot copy --part 2 --to-part 1 \
	/dev/ubda /dev/ubdb
cp err said
check 'is refused as that' grep -q 'too small' said
check 'and not as a fault of the export' sh -c '! grep -q export said'
for pair in '/dev/ubdb2 /dev/ubdb' '/dev/ubdb /dev/ubdb2'; do
	check "${pair% *} is not copied to ${pair#* }" status 2 \
		nbdboot copy $pair
	cp err said
	check 'as they overlap' grep -q 'are the same, or overlap' said
done
check 'but to another partition' status 0 nbdboot copy --length 4096 \
	/dev/ubdb2 /dev/ubdb1

# a destination with errors, and then without
bad | sed 's/ubda/ubdb/' >table
must dmsetup create --noudevsync target table
target=/dev/dm-1
check 'a destination that fails ends the copy' status 1 nbdboot copy \
	--map /tmp/map3 --part 2 --to-part 2 --rate 100M /dev/ubda \
	"$target"
cp err said
check 'and is named' grep -q "flush $target: " said
sync
