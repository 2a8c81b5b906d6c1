#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands of nbdboot-site(7), with stubs in place of apt-get, systemctl and
# journalctl; that of mmdebstrap copies a Debian which the real one has made once.
# Machines in QEMU
# that get it by PXE, with a BIOS and with UEFI, up to the login.  As root.  TAP
# on standard output.
O=${1:-build}
VM_LIMIT=${VM_LIMIT:-900}
if [ ! "${SITE_INSIDE-}" ]; then
	# there are no downloads in the network of lib.sh
	tree=$O/site/tree
	[ -e "$tree.done" ] || {
		rm -rf "$tree" && mkdir -p "$O/site" &&
			sed -n '/^mmdebstrap/,/bookworm/p' \
				"${0%/*}/../../boot/cli/nbdboot-site.7" |
			sed "s/\\\\e\$/\\\\/; s,/srv/nbd/tree,$tree," |
			sh -eu >&2 && touch "$tree.done"
	} || exit 1
	SITE_INSIDE=1 exec unshare -m sh "$0" "$@"
fi
unset SITE_INSIDE
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/site.sh
. "$here/site.sh"

# pxe NAME QEMU-ARGUMENT...: a machine without a disk, whose firmware asks DHCP
pxe()
{
	rm -f "$work/console" "$work/log"
	mkfifo "$work/console"
	: >"$work/log"
	timeout "$VM_LIMIT" qemu-system-x86_64 -accel "$ACCEL" -cpu "$vm_cpu" -smp 2 \
		-m 1024 -nodefaults -display none -no-reboot -boot n \
		-netdev tap,id=net,ifname=vm0,script=no,downscript=no \
		-device virtio-net-pci,netdev=net,mac=52:54:00:12:34:57 \
		-serial stdio "$@" </dev/null >"$work/console" 2>&1 &
	vm=$!
	exec 3<"$work/console"
	if vm_wait '*login:*'; then
		ok "$name: a machine without a disk comes up to the login"
	else
		not_ok "$name: a machine without a disk comes up to the login"
		show "$work/log"
		show "$work/dnsmasq.log"
	fi
	vm_stop
}

own_directories
make_stubs
stub mmdebstrap <<-'END'
	#!/bin/sh
	for tree; do :; done
	cp -a "$O/site/tree" "$tree"
END
export O
for name in packages image initramfs server dhcp bios uefi; do
	type_in "$name"
done
answering
# the console is the only thing that the page leaves out
sed -i 's/APPEND .*/& console=ttyS0/' /srv/tftp/pxelinux.cfg/default
echo console=ttyS0 >>/srv/tftp/nbdboot.conf
listening 10809 192.0.2.1 nbd-shared

name=BIOS
pxe
check 'it has pxelinux by TFTP' grep -q 'sent .*/pxelinux.0' "$work/dnsmasq.log"
name=UEFI
cp /usr/share/OVMF/OVMF_VARS_4M.fd "$work/vars"
pxe -M q35 -device virtio-rng-pci \
	-drive if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd \
	-drive "if=pflash,format=raw,file=$work/vars"
check 'it has nbdboot.efi by TFTP' \
	grep -q 'sent .*/nbdboot.efi' "$work/dnsmasq.log"

finish
