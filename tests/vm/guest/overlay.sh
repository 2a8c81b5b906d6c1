#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init of the roots of test_overlay.sh: checks the overlay, writes, and ends.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

lower=/run/nbdboot/lower
upper=/run/nbdboot/upper
mounted()
{
	awk -v at="$1" '$2 == at { r = $3 " " substr($4, 1, 2) }
		END { print "guest:", at, "is", r }' /proc/mounts
}
mounted /
mounted $lower
mounted $upper
echo "guest: size is $(stat -f -c %S/%b $upper)"
for disk in nbd0 nbd1; do
	echo "guest: $disk is $(cat /sys/block/$disk/ro)"
	echo "guest: $disk waits $(cat /sys/block/$disk/queue/io_timeout) ms"
done
echo "guest: marker is $(cat /etc/marker)"
echo "guest: kept is $(cat /etc/kept)"
echo "$(cat /etc/kept)+" >/etc/kept
echo changed >/etc/marker
echo "guest: marker becomes $(cat /etc/marker)," \
	"above $(cat $upper/data/etc/marker), below $(cat $lower/etc/marker)"
touch $lower/etc/marker 2>/dev/null && echo 'guest: WRONG: the lower is writable'
watched=
for exe in /proc/[0-9]*/exe; do
	[ -e "$exe" ] || continue # a thread of the kernel
	program=$(readlink "$exe") || continue
	case $program in
	/bin/busybox) ;;
	'/init (deleted)') watched="$watched$(tr '\0' ' ' <"${exe%exe}cmdline" |
		sed -n 's/^@nbdboot watch//p')" ;;
	*) echo "guest: WRONG: $program ($exe)" ;;
	esac
done
# the glob sorts the numbers of processes as text
# shellcheck disable=SC2086 # words on purpose
echo "guest: watched: $(printf '%s\n' $watched | sort | xargs)"
sync
mount -o remount,ro /
echo 'guest: end'
poweroff -f
