#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A hook of dracut: nbd0 is in use when the root is connected, and a moment longer,
# as by udev on a busy machine.
modprobe nbd
(
	exec 3</dev/nbd0
	until grep -qs parse-root /proc/[0-9]*/cmdline; do
		sleep 0.1
	done
	sleep 1
) &
