#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A service in the root of soak_cache.sh: says by which name udev finds the root, and
# when the boot is over and the cache has what it has read; powers off after a line.
exec >/dev/console 2>&1

# The process that fills the cache is there.  By the shell alone: a program that is
# read first behind the end of the boot is not in its list.
is_filling()
{
	for cmdline in /proc/[0-9]*/cmdline; do
		line=''
		# without the NULs, and no newline ends it
		read -r line <"$cmdline" || :
		case $line in
		@nbdbootcache*) return 0 ;;
		esac
	done 2>/dev/null
	return 1
}

echo "guest: system is $(systemctl is-system-running --wait)"
systemctl list-units --failed --plain --no-legend |
	sed 's/^/guest: WRONG: failed unit: /'
udevadm settle
echo "guest: nbd0: $(udevadm info -q property /dev/nbd0 |
	sed -n 's/^ID_FS_\(TYPE\|UUID\)=//p' | paste -sd ' ')"
for name in /dev/disk/by-uuid/*; do
	echo "guest: by UUID ${name##*/} it is $(readlink -f "$name")"
done
nbdboot prefetch stop
while is_filling; do :; done
# until the server's reads are counted
echo 'guest: the boot is over'
read -r _ </dev/console
dmesg | sed -n 's/.*nbdboot: \(cache: .*\)/guest: log: \1/p'
nbdboot list nbd0 | sed -n 's/^  Prefetch:/guest: list:/p'
echo 'guest: asks for poweroff'
systemctl --no-block poweroff
