#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init of the roots of test_clone.sh: writes while its root moves to a disk.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

asked()
{
	grep -q "guest\\.$1" /proc/cmdline
}

# What the root is made of.
made_of()
{
	echo "guest: $1 the root is on" \
		"$(awk '$2 == "/" || $2 == "/run/nbdboot/lower" { print $1 }' \
			/proc/mounts | grep -v overlay) made of" \
		"$(cd /sys/block/dm-0/slaves 2>/dev/null && echo *)"
}

# Replaces what is in a file, and compares.
rounds=0
write_and_compare()
{
	rounds=$((rounds + 1))
	head -c 512k /dev/urandom >/run/new
	dd if=/run/new of=/var/tmp/blob bs=32k conv=notrunc,fsync 2>/dev/null ||
		echo 'guest: WRONG: cannot write'
	new=$(sha256sum </run/new)
	echo "$new" >/var/tmp/sum
	echo 3 >/proc/sys/vm/drop_caches
	[ "$(sha256sum </var/tmp/blob)" = "$new" ] ||
		echo "guest: WRONG: round $rounds is not what was written"
}

# The process of init has ended.
is_over()
{
	dmesg | grep -q 'clone: nbd0 is disconnected\|nbdboot: nbd0: '
}

# The copy of init's process, to its end.
meanwhile=0
while_it_copies()
{
	until is_over; do
		if dmesg | grep -q 'clone: copying'; then
			write_and_compare
			is_over || meanwhile=$((meanwhile + 1))
		fi
	done
	dmesg | sed -n 's/.*nbdboot: \(clone: .*\|nbd0: .*\)/log: \1/p'
}

# refuse NAME: by hand
refuse()
{
	nbdboot clone nbd0 "$@" 2>&1 | sed 's/^.*nbdboot: /guest: refused: /'
}

# Devices that may not be overwritten, and then one that fails.
by_hand()
{
	until is_over; do :; done
	dmesg | sed -n 's/.*nbdboot: \(nbd0: .*\)/guest: refused: \1/p'
	refuse /dev/ubdb
	refuse /dev/ubdc
	refuse /dev/ubdd,erase
	mount -t ext4 /dev/ubdc /mnt
	refuse /dev/ubdc,erase
	umount /mnt
	refuse /dev/nbd0,erase
	refuse /dev/null
	# a disk of 40 MiB that takes no more than 16
	insmod /loop.ko
	mount -t tmpfs -o size=16m none /mnt
	truncate -s 40M /mnt/disk
	losetup /dev/loop0 /mnt/disk
	nbdboot clone nbd0 /dev/loop0 2>/run/clone &
	until grep -q 'nbd0: ' /run/clone; do write_and_compare; done
	sed 's/^.*nbdboot: /guest: failing: /' /run/clone
	made_of 'after that'
	write_and_compare
	losetup -d /dev/loop0
	# stopped by hand, and begun again
	nbdboot clone nbd0 /dev/ubdc,erase,rate=1 2>/run/clone &
	until nbdboot clone nbd0 2>/dev/null | grep -q '%'; do :; done
	nbdboot list nbd0 | sed -n 's/^  Clone: */guest: list: /p'
	nbdboot list --json nbd0 | grep -o '"clone": {[^}]*}' |
		sed 's/^/guest: json: /'
	nbdboot list --metrics nbd0 | grep '^nbdboot_clone_' |
		sed 's/^/guest: metrics: /'
	nbdboot list --metrics nbd7 | grep '^nbdboot_clone_' |
		sed 's/^/guest: WRONG: /'
	kill "$!"
	wait "$!"
	grep -o 'erasing.*' /run/clone | sed 's/^/guest: /'
	made_of 'stopped'
	write_and_compare
	# somebody makes a file system there: the mark behind it stays
	dd if=/dev/ubdc of=/run/uuid bs=1 skip=1128 count=16 2>/dev/null
	echo 'another' | dd of=/dev/ubdc bs=1 seek=1128 conv=notrunc 2>/dev/null
	nbdboot clone nbd0 /dev/ubdc 2>&1 | sed 's/^.*nbdboot: /guest: kept: /'
	dd if=/run/uuid of=/dev/ubdc bs=1 seek=1128 conv=notrunc 2>/dev/null
	nbdboot clone nbd0 /dev/ubdc 2>&1 && made_of 'by hand'
	write_and_compare
}

# Files whose sums are beside them, so that what a power cut damages shows.
check_files()
{
	for sum in /var/tmp/sum.[0-9]; do
		[ -e "$sum" ] || continue
		(cd /var/tmp && sha256sum -c -s "$sum") ||
			echo "guest: WRONG: the file of ${sum##*/} is damaged"
	done
}

# fio of the third disk, with what it needs, writes at random places beside the
# page cache, and reads each block again and compares.
write_by_fio()
{
	if ! "/mnt$(readlink /mnt/loader)" --library-path "$(cat /mnt/libraries)" \
		/mnt/bin/fio --name=v --filename="$new" --size=256k --bs=4k \
		--rw=randwrite --direct=1 --ioengine=psync --fsync=8 \
		--randseed="$kept" --verify=crc32c --verify_backlog=8 \
		--verify_fatal=1 --do_verify=1 >/run/fio 2>&1; then
		echo 'guest: WRONG: fio'
		sed 's/^/guest: fio: /' /run/fio
	fi
}

# One of eight files: what is there when the next line is on the console, stays.
write_next()
{
	kept=$((kept + 1))
	i=$((kept % 8))
	rm -f /var/tmp/sum.$i
	sync
	if asked fio; then
		new=/var/tmp/file.$i
		write_by_fio
	else
		new=/run/new
		head -c 96k /dev/urandom >/run/new
		# one of fio is longer
		truncate -s 96k /var/tmp/file.$i
		dd if=/run/new of=/var/tmp/file.$i bs=32k conv=notrunc,fsync \
			2>/dev/null
	fi
	(cd "${new%/*}" && sha256sum "${new##*/}" |
		sed "s/[^ ]*\$/file.$i/") >/var/tmp/new
	mv /var/tmp/new /var/tmp/sum.$i
	echo "$kept" >/var/tmp/new
	mv /var/tmp/new /var/tmp/kept
	sync
	echo 3 >/proc/sys/vm/drop_caches
	cmp -s "$new" /var/tmp/file.$i ||
		echo "guest: WRONG: file.$i is not what was written"
	echo "guest: kept $kept"
}

# For ever: the power is cut.
write_and_lose()
{
	check_files
	kept=$(cat /var/tmp/kept 2>/dev/null || echo 0)
	to=$(sed -n 's/.*guest\.to=\([^ ]*\).*/\1/p' /proc/cmdline)
	if asked fio; then
		mount -t ext4 -o ro /dev/ubdc /mnt
		echo 'guest: fio runs'
		# it takes a while to start
		write_next
	fi
	# in place of init's process, which waits for the end of the boot
	[ ! "$to" ] || nbdboot clone nbd0 "$to" &
	while :; do write_next; done
}

# A copy to a disk that has an older image of a disk on another server.
copy_delta()
{
	of=$(sed -n 's/.*guest\.delta=\([^ ]*\).*/\1/p' /proc/cmdline)
	nbdboot copy --delta="${of%,*}" "${of#*,}" /dev/ubdb 2>&1 && echo 'guest: copied'
}

# For ever: the power is cut.
write_until_the_end()
{
	until dmesg | grep -q 'clone: copying'; do :; done
	while :; do
		write_and_compare
		echo "$rounds" >/var/tmp/new
		mv /var/tmp/new /var/tmp/kept
		sync
		echo "guest: kept $rounds"
	done
}

made_of 'at first'
if [ -s /var/tmp/sum ] &&
	[ "$(sha256sum </var/tmp/blob)" = "$(cat /var/tmp/sum)" ]; then
	echo 'guest: what was written is there'
fi
[ "$(cat /sys/block/nbd0/size 2>/dev/null || echo 0)" != 0 ] ||
	echo 'guest: no server'
if asked clone; then
	while_it_copies
	made_of 'at last'
	nbdboot clone nbd0 2>&1 | sed 's/^/guest: /'
	write_and_compare
	[ -z "$(cat /sys/block/nbd0/pid 2>/dev/null)" ] &&
		echo 'guest: no connection is left'
	for exe in /proc/[0-9]*/exe; do
		[ -e "$exe" ] || continue # a thread of the kernel
		case $(tr '\0' ' ' <"${exe%exe}cmdline") in
		'@nbdboot '*) echo 'guest: WRONG: a process goes on' ;;
		esac
	done
	echo "guest: wrote $meanwhile times while it was copied"
fi
! asked hand || by_hand
[ ! -e /var/tmp/kept ] || echo "guest: has $(cat /var/tmp/kept)"
! asked cut || write_until_the_end
! asked lose || write_and_lose
! asked whole || check_files
! asked delta= || copy_delta
sync
echo 'guest: end'
exec /run/initramfs/shutdown poweroff
