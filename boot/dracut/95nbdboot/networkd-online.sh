#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sourced again and again while dracut before 103 waits: calls netroot for each
# interface that networkd has brought up, which its module systemd-networkd does
# not.
# shellcheck disable=SC1091 # dracut's
type source_hook >/dev/null 2>&1 || . /lib/dracut-lib.sh

# nbdboot_online INTERFACE: is it?  By default the program waits.
nbdboot_online() {
	[ "$1" != lo ] && /usr/lib/systemd/systemd-networkd-wait-online \
		--timeout=0.000001 --interface="$1" 2>/dev/null
}

nbdboot_each() (
	for path in /sys/class/net/*; do
		name=${path##*/} mark=/tmp/nbdboot.${path##*/}.online
		if [ ! -e "$mark" ] && nbdboot_online "$name"; then
			: >"$mark"
			source_hook initqueue/online "$name"
			/sbin/netroot "$name"
		fi
	done
)

nbdboot_each
