#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Called by dracut's netroot when the network is up, INTERFACE NETROOT NEWROOT:
# connects the root.  While the server is away dracut calls it again and again.
# shellcheck disable=SC1091,SC2034,SC2154 # dracut's, and root_* of nbdboot
type getcmdline >/dev/null 2>&1 || . /lib/dracut-lib.sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin

[ "${3-}" ] || exit 1
[ ! -e /run/nbdboot/root ] || exit 0
netif=$1

# said KEY FILE: prints the value of this key, in a file of KEY=VALUE lines that
# dracut wrote with what DHCP said, quoted in the way of one of several shells.
# It is text of a stranger, never sourced.
said() {
	value=''
	while IFS= read -r text; do
		case $text in
		"$1="*) value=${text#*=} ;;
		esac
	done <"$2"
	case $value in
	\'*\' | \"*\") value=${value#?} value=${value%?} ;;
	*) while [ "$value" != "${value#*\\}" ]; do
		value=${value%%\\*}${value#*\\}
	done ;;
	esac
	case $value in
	*[!]A-Za-z0-9_.:/,=+@%~?\&[-]*) ;;
	*) printf '%s\n' "$value" ;;
	esac
}

# netroot has read these, but a call later has not.
dhcp=/tmp/dhclient.$netif.dhcpopts
root_path='' server=''
if [ -e "$dhcp" ]; then
	root_path=$(said new_root_path "$dhcp")
	server=$(said new_next_server "$dhcp")
fi
mac=$(cat "/sys/class/net/$netif/address" 2>/dev/null)

# link_root DEVICE PART: /dev/root is this device, or the partition that has
# this number, LABEL=, UUID=, PARTLABEL= or PARTUUID=
link_root() {
	# as udev writes it
	value=${2#*=}
	while [ "$value" != "${value#* }" ]; do
		value=${value%% *}\\x20${value#* }
	done
	case $2 in
	'') match="KERNEL==\"$1\"" ;;
	[0-9]*) match="KERNEL==\"$1p$2\"" ;;
	LABEL=*) match="KERNEL==\"$1*\", ENV{ID_FS_LABEL_ENC}==\"$value\"" ;;
	UUID=*) match="KERNEL==\"$1*\", ENV{ID_FS_UUID_ENC}==\"$value\"" ;;
	PARTLABEL=*)
		match="KERNEL==\"$1*\", ENV{ID_PART_ENTRY_NAME}==\"$value\"" ;;
	*) match="KERNEL==\"$1*\", ENV{ID_PART_ENTRY_UUID}==\"$value\"" ;;
	esac
	printf '%s\n' "SUBSYSTEM==\"block\", $match, SYMLINK+=\"root\"" \
		>/etc/udev/rules.d/99-nbdboot-root.rules
	udevadm control --reload
	udevadm trigger --subsystem-match=block --sysname-match="$1*"
}

# The root-path came too late for the command line: root= is only a name.
mount_from_dhcp() {
	link_root "nbd$root_device" "$root_part"
	# of two contradicting options the last one wins: that of the root-path
	options=''
	! getargbool 0 ro || options=ro
	! getargbool 0 rw || options=rw
	options=$options${root_options:+${options:+,}$root_options}
	if [ "${DRACUT_SYSTEMD-}" ]; then
		mkdir -p /run/systemd/system/sysroot.mount.d
		printf '%s\n' '[Mount]' What=/dev/root \
			"Type=${root_fstype:-auto}" "Options=$options" \
			>/run/systemd/system/sysroot.mount.d/nbdboot.conf
		systemctl --no-block daemon-reload
	else
		type write_fs_tab >/dev/null 2>&1 || . /lib/fs-lib.sh
		write_fs_tab /dev/root "${root_fstype:-auto}" "$options"
		printf '%s\n' "mount '$3'" >"${hookdir:?}/mount/01-nbdboot.sh"
	fi
}

# Without root= the generator's mount is right, unless the root-path says more.
generated() {
	[ -z "$root_path" ] && [ -e /run/systemd/generator/sysroot.mount ]
}

# dracut waits for a device that was named before there was a connection (by
# the parser and the generator): no other one will do, so if that stays in use
# this is tried again.  Its word comes first: words after "--" are init's.
line=$(getcmdline) root_device=''
! out=$(nbdboot parse-root "$line" 2>/dev/null) || eval "$out"
if ! out=$(nbdboot parse-root -c ${mac:+-m "$mac"} \
	${root_path:+-r "$root_path"} ${server:+-s "$server"} \
	"nbddev=nbd${root_device:-0} $line"); then
	# dracut writes these words into a script, so not netroot's $2
	/sbin/initqueue --settled --unique --name nbdboot \
		/sbin/nbdbootroot "$1" nbdboot "$3"
	exit 1
fi
eval "$out"
[ -z "$root_overlay" ] ||
	warn 'nbdboot: its module makes no overlay: the root is read-only'
nbdboot watch -b "nbd$root_device" ||
	warn 'nbdboot: the root will not survive an outage'
case $(getarg root=) in
/dev/root | dhcp) mount_from_dhcp "$@" ;;
'') generated || mount_from_dhcp "$@" ;;
esac
mkdir -p /run/nbdboot
: >/run/nbdboot/root
rm -f "${hookdir:?}/initqueue/settled/nbdboot.sh"
need_shutdown
# Without systemd dracut's init mounts /run with noexec: at shutdown the systemd
# of the root would find no program in /run/initramfs.
mount -o remount,exec,nosuid,nodev /run ||
	warn 'nbdboot: /run cannot be mounted with exec: the server will get' \
		'no disconnect at shutdown'
exit 0
