#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by dracut's shutdown, which unmounts: disconnects the devices that are
# no longer in use.  The return value says whether all are.
nbdboot_status=0
for nbdboot_device in /sys/block/nbd*; do
	[ -e "$nbdboot_device/pid" ] || continue
	nbdboot disconnect "${nbdboot_device##*/}" || nbdboot_status=1
done
return $nbdboot_status
