#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes a Debian 12 root with systemd and few packages for the VMs, once, by
# debootstrap from the mirror that apt uses.  Must run as root.  Prints the
# directory of the root.
#
#   debian.sh DIR
set -eu

dir=${1:?directory}
root=$dir/root
packages=systemd-sysv,udev,dbus,kmod,kexec-tools
# debootstrap does not find libpam-systemd by itself
packages=$packages,network-manager,libpam-systemd

die()
{
	echo "debian: $*" >&2
	exit 1
}

if [ -e "$dir/done" ]; then
	echo "$root"
	exit 0
fi
[ "$(id -u)" = 0 ] || die 'debootstrap has to be run by root'
PATH=$PATH:/sbin:/usr/sbin
command -v debootstrap >/dev/null || die 'debootstrap is missing (make deps)'

mkdir -p "$dir"
rm -rf "$root"
# The first mirror of apt with the component main of this release.
# shellcheck disable=SC2016 # names of apt
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' \
	'Created-By: Packages' 2>/dev/null |
	awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
mirror=${mirror:-http://deb.debian.org/debian}
echo "debian: bookworm from $mirror" >&2
debootstrap --variant=minbase --include="$packages" bookworm "$root" \
	"$mirror" >"$dir/log" 2>&1 || {
	tail -n 20 "$dir/log" >&2
	die "debootstrap failed (is $mirror reachable?)"
}

# Half of the files are needed by no boot.
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* \
	"$root"/usr/share/doc/* "$root"/usr/share/man/* \
	"$root"/usr/share/locale/* "$root"/usr/share/zoneinfo/* \
	"$root"/usr/share/i18n/* "$root"/usr/lib/x86_64-linux-gnu/gconv/*
# With a machine ID this is no first boot, so that systemd asks no questions.
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
echo nbdboot-test >"$root/etc/hostname"
# The kernel command line of a test names the manager of the network.
rm "$root"/etc/systemd/system/*.wants/NetworkManager*
# The last step: this file marks the others as done.
: >"$dir/done"
echo "$root"
