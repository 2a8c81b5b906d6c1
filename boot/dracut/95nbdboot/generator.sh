#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A generator of systemd: the mount of a root whose root= names the server or is
# not there, so that systemd itself finds no device in it; and no limit for devices
# that come when the network and the server are there, as rd.retry= allows: by
# itself systemd gives them up after 90 s.
# shellcheck disable=SC1091,SC2034,SC2154 # dracut's, and root_* of nbdboot
type getarg >/dev/null 2>&1 || . /lib/dracut-lib.sh

out=$(nbdboot parse-root --wanted "$(getcmdline)" 2>/dev/null) || exit 0
eval "$out"
# Has nbdboot.efi left the server in a variable of the firmware?
if [ -z "$root_wanted" ] && [ -d /sys/firmware/efi ] &&
	out=$(nbdboot parse-root "$(getcmdline)" 2>/dev/null); then
	eval "$out"
	root_wanted=${root_uri:+firmware}
fi
[ "$root_wanted" ] || exit 0
[ "${2-}" ] || exit 1
timeout=$(getarg rd.timeout=) || :
# a word without a value sets no limit, as in dracut
timeout=${timeout:-0}

# no_limit DEVICE DIRECTORY: of the units
no_limit()
{
	limits=$2/$(dev_unit_name "$1").device.d
	mkdir -p "$limits"
	printf '%s\n' '[Unit]' "JobTimeoutSec=$timeout" \
		"JobRunningTimeoutSec=$timeout" >"$limits/timeout.conf"
}

# luks UUID DIRECTORY: of the words for it
luks()
{
	uuid=${1#luks-}
	uuid=${uuid%%=*}
	case $uuid in
	'' | *[!0-9A-Za-z-]*) ;;
	*) no_limit "/dev/disk/by-uuid/$uuid" "$2" ;;
	esac
}

# halves HASH: the partitions of the data and of the tree that systemd looks for
halves()
{
	uuid='\(.\{8\}\)\(.\{4\}\)\(.\{4\}\)\(.\{4\}\)\(.\{12\}\)'
	printf '%s\n' "$1" | sed -n "y/ABCDEF/abcdef/; /^[0-9a-f]\{32,\}\$/!q
		h; s/^$uuid.*/\1-\2-\3-\4-\5/p
		g; s/.*$uuid\$/\1-\2-\3-\4-\5/p"
}

# What LUKS opens, and what a root is verified with, lie on the server's disk.
set -f
for word in $(getcmdline); do
	case $word in
	rd.luks.uuid=* | rd.luks.name=*) luks "${word#rd.luks.????=}" "$2" ;;
	roothash=* | usrhash=*)
		for half in $(halves "${word#*=}"); do
			no_limit "/dev/disk/by-partuuid/$half" "$2"
		done
		;;
	systemd.verity_root_data=* | systemd.verity_root_hash=* | \
	systemd.verity_usr_data=* | systemd.verity_usr_hash=*)
		no_limit "$(label_uuid_to_dev "${word#*=}")" "$2" ;;
	esac
done
set +f

case $root_wanted:$(getarg root=) in
device: | dhcp:) exit 0 ;;
root:* | ?*: | ?*:/dev/ram | ?*:/dev/ram0) ;;
*) exit 0 ;;
esac
out=$(nbdboot parse-root "$(getcmdline)" 2>/dev/null) || exit 0
eval "$out"

case $root_part in
'') what=/dev/nbd${root_device:-0} ;;
[0-9]*) what=/dev/nbd${root_device:-0}p$root_part ;;
*) what=$(label_uuid_to_dev "$root_part") ;;
esac
mode=ro
! getargbool 0 rw || mode=rw
mkdir -p "$2/initrd-root-fs.target.requires"
printf '%s\n' '[Unit]' Before=initrd-root-fs.target '[Mount]' \
	Where=/sysroot "What=$what" ${root_fstype:+"Type=$root_fstype"} \
	"Options=$mode${root_options:+,$root_options}" >"$2/sysroot.mount"
ln -sf ../sysroot.mount "$2/initrd-root-fs.target.requires/sysroot.mount"

no_limit "$what" "$2"
