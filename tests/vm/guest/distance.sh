#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A service in the root of bench/distance.sh and bench/verity.sh: says when the system is up, prints
# the list of this boot if that is asked for, and ends the machine.
exec >/dev/console 2>&1
echo

# Started by hand it would end the host.
grep -q nbdboot.prefetch /proc/cmdline || exit 2

state=$(systemctl is-system-running --wait)
read -r up idle </proc/uptime
echo "guest: up $up"
echo "guest: idle $idle"
[ "$state" = running ] || systemctl list-units --failed --plain --no-legend |
	sed 's/^/guest: WRONG: failed: /'
# what came from the server, and what the root's file system asked for
awk '$3 ~ /^(nbd0|dm-0|loop0)$/ { print "guest: reads of", $3, "are", $4,
	"with", $6 / 2, "KiB" }' /proc/diskstats
# the code that takes the most hashes, where several are there
echo "guest: hashes by" "$(awk '$1 == "name" { wanted = $3 == "sha256" }
	wanted && $1 == "driver" { name = $3 }
	wanted && $1 == "refcnt" && $3 > 1 { print name }' /proc/crypto)"
echo "guest: lower is $(findmnt -no SOURCE,OPTIONS /run/nbdboot/lower)"
if grep -q guest.learn /proc/cmdline; then
	nbdboot prefetch stop
	nbdboot prefetch show | sed 's/^/guest: list /'
	sed 's/^/list: /' /run/nbdboot/prefetch
fi
echo o >/proc/sysrq-trigger
