#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A service in the root of soak_clone_debian.sh: says what it finds, before and
# behind the move of the root to a disk, and powers off.  Meanwhile fio writes, reads
# and compares with guest.fio.
exec >/dev/console 2>&1

asked()
{
	grep -q "guest\\.$1" /proc/cmdline
}

report()
{
	echo "guest: $1 system is $(systemctl is-system-running --wait)"
	systemctl list-units --failed --plain --no-legend |
		sed 's/^/guest: WRONG: failed unit: /'
	dev=$(findmnt -no SOURCE /)
	echo "guest: $1 the root is on $dev, made of" \
		"$(cd "/sys/block/${dev#/dev/}/slaves" 2>/dev/null && echo *)"
	echo "guest: $1 there are $(awk '$4 == "01"' /proc/net/tcp | wc -l)" \
		"connections"
}

# The process of init has ended.
is_over()
{
	dmesg | grep -q 'clone: nbd0 is disconnected\|nbd0: .*\(vda\|nvme0n1\)'
}

# While it copies, which does not begin as long as somebody reads, and once more
# behind it.
verify()
{
	until dmesg | grep -q 'clone: copying'; do sleep 1; done
	while :; do
		over=''
		! is_over || over=1
		fio --name=v --filename=/var/tmp/fio --size=16M --rw=randwrite \
			--bsrange=4k-64k --ioengine=psync --fsync=16 \
			--rate_iops=400 --verify=crc32c --do_verify=1 \
			--verify_fatal=1 --invalidate=1 \
			>/run/fio 2>&1 || {
			echo 'guest: WRONG: fio'
			sed 's/^/guest: fio: /' /run/fio
		}
		fio_rounds=$((fio_rounds + 1))
		[ ! "$over" ] || break
	done
	echo "guest: fio compared $fio_rounds times"
}

report first
fio_rounds=0
if asked fio; then
	verify
elif asked clone; then
	until is_over; do sleep 1; done
fi
if asked fio || asked clone; then
	# those of the disk are no program's; the driver of NVMe has lines of its own
	dmesg | grep -i 'i/o error\|ext4-fs \(error\|warning\)\|blocked for more' |
		grep -v 'dev \(vda\|nvme0n1\),\| nvme0n1: I/O Cmd' |
		sed 's/^/guest: WRONG: /'
	report 'at last'
	dd if=/dev/urandom of=/var/tmp/blob bs=64k count=64 2>/dev/null
	sha256sum </var/tmp/blob >/var/tmp/sum
fi
echo 'guest: asks for poweroff'
systemctl --no-block poweroff
