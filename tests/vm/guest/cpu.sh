#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the root of cpu.sh: copies and connects the export of guest.uri=
# on the kernel command line, and ends.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

uri=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^guest\.uri=//p')

sum()
{
	sha256sum | cut -d ' ' -f 1
}

uname -m | sed 's/^/guest: cpu is /'
awk '$2 == "/" { r = "guest: root is " $1 " " $3 " " substr($4, 1, 2) }
	END { print r }' /proc/mounts
echo "guest: watched: $(cat /proc/[0-9]*/cmdline | tr '\0' '\n' |
	grep -A 1 '^watch$' | grep nbd)"
mount -t tmpfs tmpfs /tmp
nbdboot copy --verify "$uri" /tmp/copy >/dev/null 2>/tmp/err || cat /tmp/err
echo "guest: copied $(sum </tmp/copy)"
disk=$(nbdboot connect -R "$uri")
echo "guest: $disk has $(cat "/sys/block/$disk/size") sectors"
echo "guest: it holds $(sum <"/dev/$disk")"
nbdboot status "$disk" | sed 's/^/guest: status: /'
! nbdboot disconnect "$disk" || echo 'guest: it is disconnected'
echo written >/written
sync
echo 'guest: end'
poweroff -f
