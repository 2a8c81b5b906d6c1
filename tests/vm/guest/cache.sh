#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init of the roots of test_cache.sh: reads all of its root, and lets the boot end.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

asked()
{
	grep -q "guest\\.$1" /proc/cmdline
}

# The process that fills the cache is there.
is_filling()
{
	for cmdline in /proc/[0-9]*/cmdline; do
		case $(tr '\0' ' ' <"$cmdline") in
		'@nbdboot cache '*) return 0 ;;
		esac
	done 2>/dev/null
	return 1
}

read_all()
{
	echo 3 >/proc/sys/vm/drop_caches
	echo "guest: $1 the root is $(cd / && find bin etc sbin -type f |
		sort | xargs cat | sha256sum | cut -d ' ' -f 1)"
}

# What is mapped, and what of it is from where.
echo "guest: the root is on /dev/dm-0 made of" \
	"$(cd /sys/block/dm-0/slaves 2>/dev/null && echo *)"
read_all 'at first'
# The first device of the mirror fails: its place is taken by an error target.
if asked bad; then
	size=$(cat /sys/block/dm-2/size)
	dmsetup create --noudevsync bad --table "0 $size error" 2>&1
	dmsetup table nbdboot-cache-nbd0 >/run/table
	awk -v bad="$(dmsetup info -c --noheadings -o major,minor bad)" '{ $9 = bad; $10 = 0; print }' \
		/run/table >/run/new
	dmsetup reload -r nbdboot-cache-nbd0 /run/new 2>&1 &&
		dmsetup resume --noudevsync nbdboot-cache-nbd0 2>&1 &&
		echo 'guest: the local device fails'
	read_all 'later'
fi
# The list of this boot, where it cannot be traced, with a piece more.
if asked more; then
	size=$(cat /sys/block/dm-0/size)
	printf '%s\n' 'nbdboot-prefetch 1' "image $size -" '0 2040' \
		'2048 20000' '24000 4000' 'end 3' >/run/nbdboot/prefetch
fi
nbdboot prefetch stop
! asked cut || echo 'guest: the boot is over'
while is_filling; do :; done
dmesg | sed -n 's/.*nbdboot: \(cache: .*\)/guest: log: \1/p'
nbdboot list nbd0 | sed -n 's/^  Prefetch:/guest: list:/p'
nbdboot cache /dev/ubda 2>&1 | sed 's/^/guest: show: /'
echo 'guest: end'
exec /run/initramfs/shutdown poweroff
