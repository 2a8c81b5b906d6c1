#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes a Debian root with systemd and few packages for the VMs, once, by
# mmdebstrap from the mirror that apt uses.  Must run as root.  Prints the
# directory of the root.
#
#   debian.sh DIR [VARIANT]
#
# The release is Debian 12.  VARIANT "backports" has the systemd of its backports,
# and no programs for networks.  "trixie" is Debian 13 without these, "trixie-net"
# with them, and "testing" the next release without them.  "sshd" and "trixie-sshd"
# are Debian 12 and 13 with sshd in place of programs for networks.  "sysvinit" and
# "openrc" have sysvinit's init, with the scripts of sysv-rc or with those of
# OpenRC; "runit" has that of runit.
set -eu

dir=${1:?directory}
variant=${2-}
root=$dir/root
release=bookworm old=''
packages=systemd-sysv,udev,dbus,kmod
case $variant in
'' | trixie-net)
	packages=$packages,kexec-tools
	packages=$packages,network-manager,libpam-systemd
	packages=$packages,ifupdown,isc-dhcp-client
	;;
*sshd) packages=$packages,openssh-server,libpam-systemd ;;
sysvinit) packages=sysvinit-core,sysv-rc,initscripts,udev,kmod,procps ;;
openrc) packages=sysvinit-core,openrc,initscripts,udev,kmod,procps ;;
runit) packages=runit-init,sysv-rc,initscripts,udev,kmod,procps ;;
esac
merged=''
case $variant in
trixie*) release=trixie ;;
testing) release=testing old=1 ;;
# otherwise it would take usrmerge, with 50 MB of Perl
*) packages=$packages,usr-is-merged merged=1 ;;
esac

die()
{
	echo "debian: $*" >&2
	exit 1
}

# One at a time: what another script makes now is there afterwards.
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9

if [ "$(cat "$dir/done" 2>/dev/null)" = "$packages${variant:+ $variant}" ]; then
	echo "$root"
	exit 0
fi
[ "$(id -u)" = 0 ] || die 'mmdebstrap has to be run by root'
PATH=$PATH:/sbin:/usr/sbin
command -v mmdebstrap >/dev/null || die 'mmdebstrap is missing (make deps)'

mkdir -p "$dir"
rm -rf "$root"
# The first mirror of apt with the component main of a release of Debian.
# shellcheck disable=SC2016 # names of apt
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' \
	'Created-By: Packages' 2>/dev/null |
	awk '($2 == "bookworm" || $2 == "trixie") && $3 == "main" { print $1; exit }')
mirror=${mirror:-http://deb.debian.org/debian}
echo "debian: $release from $mirror" >&2
# A mirror may be behind with the next release; signatures are checked.
TMPDIR=$dir mmdebstrap --mode=root --variant=minbase --include="$packages" \
	${merged:+--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr} \
	${old:+--aptopt='Acquire::Check-Valid-Until "false"'} \
	"$release" "$root" "$mirror" >"$dir/log" 2>&1 || {
	tail -n 20 "$dir/log" >&2
	die "mmdebstrap failed (is $mirror reachable?)"
}

# apt_get ARGUMENT...: that of the root itself
apt_get()
{
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get -q -y \
		-o APT::Sandbox::User=root --no-install-recommends "$@"
}

take_backports()
{
	echo "deb $mirror bookworm-backports main" \
		>"$root/etc/apt/sources.list.d/backports.list"
	apt_get update
	apt_get -t bookworm-backports install systemd-sysv udev
}
[ "$variant" != backports ] || take_backports >>"$dir/log" 2>&1 || {
	tail -n 20 "$dir/log" >&2
	die 'apt-get failed'
}

# Half of the files are needed by no boot.
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* \
	"$root"/usr/share/doc/* "$root"/usr/share/man/* \
	"$root"/usr/share/locale/* "$root"/usr/share/zoneinfo/* \
	"$root"/usr/share/i18n/* "$root"/usr/lib/x86_64-linux-gnu/gconv/*
# With a machine ID this is no first boot, so that systemd asks no questions.
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
echo nbdboot-test >"$root/etc/hostname"
# The first boot would make tables of all libraries, hardware and messages.
touch "$root/etc/.updated" "$root/var/.updated"
# What no check is about, and an emulated CPU is slow to start: care for file
# systems and packages, records of logins and crashes, and modules that the root
# does not have.
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
	e2scrub_all.timer e2scrub_reap.service fstrim.timer \
	modprobe@.service systemd-pstore.service \
	systemd-update-utmp.service systemd-update-utmp-runlevel.service; do
	ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
# The kernel command line of a test names the manager of the network.
rm -f "$root"/etc/systemd/system/*.wants/NetworkManager* \
	"$root"/etc/systemd/system/*.wants/networking.service
# The last step: this file marks the others as done.
echo "$packages${variant:+ $variant}" >"$dir/done"
echo "$root"
