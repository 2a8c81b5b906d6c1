/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole command lines as menus, scripts and manuals of others have them, with
 * other names and addresses, and what their authors meant; want is as in
 * root_cases.h.
 */
#ifndef TESTS_BOOT_ROOT_WILD_H
#define TESTS_BOOT_ROOT_WILD_H

#include "tests/boot/words/root_cases.h"

static const struct root_case wild_cases[] = {
	/* ---- LTSP: pxelinux, iPXE, school servers ---- */
	{ "ro initrd=ltsp/img/initrd.img init=/sbin/init-site "
	  "site.hosttype=thinclient root=/dev/nbd0 nbdroot=:img ACPI "
	  "usbcore.autosuspend=-1 BOOTIF=01-52-54-00-00-00-01",
	  "nbd://" SERVER "/img dhcp dev=0", "" },
	{ "ro initrd=initrd.img root=/dev/nbd0 nbdroot=192.0.2.51:ltsp_i386 "
	  "init=/sbin/init-ltsp vt.handoff=7 quiet splash "
	  "plymouth:force-splash",
	  "nbd://192.0.2.51/ltsp_i386 dev=0", NULL },
	{ "ro initrd=tftp://192.0.2.1/ltsp/i386/initrd.img "
	  "init=/sbin/init-ltsp quiet nbdroot=192.0.2.1:/opt/ltsp/i386 "
	  "root=/dev/nbd0",
	  "nbd://192.0.2.1//opt/ltsp/i386 dev=0", NULL },
	{ "initrd=initrd.img nbdroot=192.0.2.15  nbdport=2000 ip=dhcp quiet "
	  "splash",
	  "nbd://192.0.2.15:2000/", NULL },
	{ "ro initrd=initrd.img quiet splash nbdroot=:ltsp_amd64 "
	  "init=/sbin/init-ltsp root=/dev/nbd0 ip=dhcp boot=nfs",
	  "nbd://" SERVER "/ltsp_amd64 dhcp dev=0", "" },
	{ "boot=nbd root=/dev/nbd0 nbdroot=192.0.2.1,2000,nbd0 ip=dhcp",
	  "nbd://192.0.2.1:2000/ dev=0", NULL },

	/* ---- Debian: README.Debian, wikis, single boards ---- */
	{ "nbdroot=192.0.2.1,2000,nbd0 root=/dev/nbd0 ip=dhcp rw",
	  "nbd://192.0.2.1:2000/ dev=0", NULL },
	{ "nbdroot=192.0.2.1,root-client,nbd0 root=/dev/nbd0p1 "
	  "ip=192.0.2.50:192.0.2.1:192.0.2.254:255.255.255.0:client:eth0:off",
	  "nbd://192.0.2.1/root-client dev=0 part=1", NULL },
	{ "root=/dev/mapper/vg0-root nbdroot=192.0.2.1,pv,nbd0 ip=dhcp",
	  "nbd://192.0.2.1/pv dev=0 other=/dev/mapper/vg0-root", NULL },
	{ "fromhd=/dev/nbd0 root=/dev/nbd0 nbdroot=192.0.2.23,live-iso "
	  "nonetwork",
	  "nbd://192.0.2.23/live-iso dev=0", NULL },
	{ "console=serial0,115200 dwc_otg.lpm_enable=0 console=tty1 "
	  "root=/dev/nbd0p2 rootfstype=ext4 elevator=deadline rootwait "
	  "ip=dhcp nbdroot=192.0.2.5/pi fixrtc",
	  "nbd://192.0.2.5/pi dev=0 part=2 fstype=ext4", NULL },
	{ "nbdroot=server:image root=/dev/nbd0p2 quiet splash",
	  "nbd://server/image dev=0 part=2", NULL },
	{ "root=/dev/nbd0p1 nbdroot=192.0.2.1:10809/board ip=:::::eth0:dhcp "
	  "nbd.max_part=16",
	  "nbd://192.0.2.1/board dev=0 part=1", NULL },
	{ "root=LABEL=writable nbdroot=192.0.2.1/pi rootfstype=ext4 "
	  "rootflags=_netdev ro",
	  "nbd://192.0.2.1/pi part=LABEL=writable fstype=ext4 "
	  "options=_netdev",
	  NULL },
	{ "root=/dev/nbd0 nbdroot=dhcp ip=dhcp quiet",
	  "nbd://192.0.2.9/srv dhcp dev=0", "192.0.2.9,srv,nbd0" },
	{ "root=/dev/ram0 nbdroot=192.0.2.7,2000,nbd0 devfs=mount,dall rw",
	  "nbd://192.0.2.7:2000/ dev=0", NULL },
	{ "nbdroot=192.0.2.7:2000,nbd0 root=/dev/nbd0 ip=dhcp",
	  "nbd://192.0.2.7:2000/ dev=0", NULL },

	/* ---- dracut: its tests and manuals, wikis, boards ---- */
	{ "root=LABEL=dracut netroot=nbd:192.0.2.1:raw ip=dhcp rd.luks=0",
	  "nbd://192.0.2.1/raw part=LABEL=dracut", NULL },
	{ "root=nbd:192.0.2.1:raw:ext4:errors=panic rd.luks=0",
	  "nbd://192.0.2.1/raw fstype=ext4 options=errors=panic", NULL },
	{ "root=nbd:192.0.2.1:raw::errors=panic:bs=1024 rd.luks=0",
	  "nbd://192.0.2.1/raw options=errors=panic bs=1024", NULL },
	{ "root=/dev/root netroot=dhcp ip=dhcp rd.luks=0",
	  "nbd://192.0.2.1/raw dhcp fstype=ext2 options=errors=panic",
	  "nbd:192.0.2.1:raw:ext2:errors=panic" },
	{ "root=/dev/dracut/root rd.luks.uuid=luks-1-2-3 "
	  "rd.lv.vg=dracut netroot=nbd:192.0.2.1:encrypted ip=dhcp",
	  "nbd://192.0.2.1/encrypted other=/dev/dracut/root", NULL },
	{ "rw root=UUID=123456 netroot=nbd:192.0.2.4:2345:ext3 ip=eth0:dhcp",
	  "nbd://192.0.2.4:2345/ part=UUID=123456 fstype=ext3", NULL },
	{ "audit=0 rootovl root=nbd:192.0.2.2:10809:squashfs:ro "
	  "rootfstype=squashfs rd.luks=0 rd.md=0 rd.dm=0",
	  "nbd://192.0.2.2/ fstype=squashfs options=ro", NULL },
	{ "root=/dev/nbd0p2 netroot=nbd:192.0.2.2:disk0:::-b512 "
	  "ip=single-dhcp ro rd.break=initqueue rd.shell=1 net.ifnames=0",
	  "nbd://192.0.2.2/disk0 dev=0 part=2 bs=512", NULL },
	{ "root=/dev/nbd0 rw nbdroot=192.0.2.2:10809 netroot=nbd:192.0.2.2:"
	  "10809 ip=dhcp rd.neednet=1 rd.debug",
	  "nbd://192.0.2.2/ dev=0 note=nbdroot", NULL },
	{ "ip=dhcp root=nbd:192.0.2.2:discovery:squashfs ro",
	  "nbd://192.0.2.2/discovery fstype=squashfs", NULL },
	{ "console=serial0,115200 multipath=off dwc_otg.lpm_enable=0 "
	  "root=nbd:192.0.2.1:pi-root:ext4 "
	  "ip=192.0.2.145::192.0.2.1:255.255.255.0::eth0:off rootwait fixrtc",
	  "nbd://192.0.2.1/pi-root fstype=ext4", NULL },
	{ "root=live:/dev/nbd0 netroot=nbd:192.0.2.1:iso rd.live.image "
	  "ip=dhcp",
	  "nbd://192.0.2.1/iso other=live:/dev/nbd0", NULL },
	{ "root=PARTLABEL=root netroot=nbd:192.0.2.1:coreos ip=dhcp "
	  "rd.neednet=1",
	  "nbd://192.0.2.1/coreos part=PARTLABEL=root", NULL },
	{ "netroot=nbd:192.0.2.1:x:ext4:rw,noatime:-p,-t10 root=/dev/nbd0 rw",
	  "nbd://192.0.2.1/x persist dev=0 fstype=ext4 options=rw,noatime "
	  "t=10",
	  NULL },
	{ "root=/dev/md0 netroot=nbd:[2001:db8::1]:x rd.md.uuid=1:2:3:4",
	  "nbd://[2001:db8::1]/x other=/dev/md0", NULL },

	/* ---- Arch: mkinitcpio, archiso ---- */
	{ "ro initrd=initramfs-linux.img ip=:::::eth0:dhcp "
	  "nbd_host=192.0.2.1 nbd_name=arch root=/dev/nbd0",
	  "nbd://192.0.2.1/arch dev=0", NULL },
	{ "ro initrd=initramfs-linux.img ip=:::::eth0:dhcp "
	  "nbd_host=192.0.2.1 nbd_port=10809 nbd_name=arch root=/dev/nbd0",
	  "nbd://192.0.2.1/arch dev=0", NULL },
	{ "quiet add_efi_memmap ip=:::::eth0:dhcp nbd_host=192.0.2.15 "
	  "nbd_name=arch root=/dev/mapper/root "
	  "cryptdevice=/dev/nbd0p2:root",
	  "nbd://192.0.2.15/arch other=/dev/mapper/root", NULL },
	{ "archisobasedir=arch archisosearchuuid=2022-10-01-17-50-41-00 "
	  "archiso_nbd_srv=${pxeserver} cms_verify=y "
	  "BOOTIF=01-52-54-00-00-00-01 ip=192.0.2.9:192.0.2.1::255.255.255.0",
	  "nbd://" SERVER "/archiso dhcp", "" },
	{ "initrd=arch/boot/x86_64/archiso.img archisobasedir=arch "
	  "archiso_nbd_srv=192.0.2.1 archiso_nbd_name=iso ip=dhcp",
	  "nbd://192.0.2.1/iso", NULL },

	/* ---- LibreELEC, KIWI, QEMU, libnbd ---- */
	{ "boot=NBD=192.0.2.1:2000 disk=NFS=192.0.2.1:/srv/storage quiet",
	  "nbd://192.0.2.1:2000/", NULL },
	{ "root=overlay:nbd=192.0.2.1:image rd.kiwi.debug "
	  "rd.root.overlay.write=/dev/sda1",
	  "nbd://192.0.2.1/image overlay", NULL },
	{ "root=nbd:192.0.2.1:10809:exportname=vm-1 ro", "nbd://192.0.2.1/vm-1",
	  NULL },
	{ "root=nbd://192.0.2.1:10809/vm-1 rw", "nbd://192.0.2.1/vm-1", NULL },
};

/* Command lines of NBD that is not the root: these stay somebody else's. */
static const char *const wild_others[] = {
	"BOOT_IMAGE=/vmlinuz root=UUID=1-2-3 ro quiet nbds_max=8",
	"root=/dev/nfs nfsroot=192.0.2.1:/srv/x ip=dhcp rw",
	"root=/dev/sda1 nbdport=2000",
	"initrd=initrd.img boot=casper netboot=nfs nfsroot=192.0.2.1:/x",
	"root=live:http://192.0.2.1/squashfs.img ip=dhcp",
	"netroot=iscsi:192.0.2.1::::iqn.x root=LABEL=x",
	"bty.nbd=tcp://192.0.2.1:10809 bty.image=x root=/dev/ram0",
	"init=/init iso=x.iso server=192.0.2.1 nbdport=10809",
};

#endif
