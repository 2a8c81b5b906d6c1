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

	/* ---- Debian and Ubuntu on boards and in clouds ---- */
	{ "console=serial0,115200 ip=dhcp root=/dev/nbd0 rw "
	  "nbdroot=dhcp,root,nbd0 rootfstype=ext4 fsckfix rootwait "
	  "net.ifnames=0 loglevel=7",
	  "nbd://" SERVER "/root dhcp dev=0 fstype=ext4", "" },
	{ "ip=dhcp nbdroot=myserver/myshare root=/dev/nbd0p5 "
	  "console=serial0,115200 dwc_otg.lpm_enable=0 console=tty1 "
	  "rootfstype=ext4 rootwait fixrtc quiet splash",
	  "nbd://myserver/myshare dev=0 part=5 fstype=ext4", NULL },
	{ "dwc_otg.lpm_enable=0 console=tty3 initrd=initrd.img.nbd "
	  "nbdroot=192.0.2.40,board,nbd0 root=/dev/nbd0 "
	  "rootfstype=btrfs ip=dhcp fsck.repair=yes "
	  "smsc95xx.turbo_mode=N",
	  "nbd://192.0.2.40/board dev=0 fstype=btrfs", NULL },
	{ "dwc_otg.lpm_enable=0 console=serial0,115200 "
	  "kgdboc=serial0,115200 console=tty1 init=/sbin/init-ltsp "
	  "nbdroot=192.0.2.1:/opt/ltsp/armhf root=/dev/nbd0 "
	  "elevator=deadline rootwait",
	  "nbd://192.0.2.1//opt/ltsp/armhf dev=0", NULL },
	{ "ro initrd=/pxe/ubuntu/initrd.img-3.2 init=/sbin/init-ltsp "
	  "quiet splash plymouth:force-splash vt.handoff=7 "
	  "root=/dev/nbd0 nbdroot=192.0.2.254:/opt/ltsp/ubuntu",
	  "nbd://192.0.2.254//opt/ltsp/ubuntu dev=0", NULL },
	{ "ip=dhcp nbdroot=192.0.2.1,mydebian,nbd0 root=/dev/nbd0p1",
	  "nbd://192.0.2.1/mydebian dev=0 part=1", NULL },
	{ "root=nbd0p2 nbdroot=192.0.2.1,img ip=dhcp",
	  "nbd://192.0.2.1/img dev=0 part=2", NULL },
	{ "root=LABEL=cloudimg-rootfs nbdroot=192.0.2.1,cloud ip=dhcp",
	  "nbd://192.0.2.1/cloud part=LABEL=cloudimg-rootfs", NULL },
	{ "root=/dev/disk/by-label/root nbdroot=192.0.2.1,cloud,nbd0 "
	  "ip=dhcp",
	  "nbd://192.0.2.1/cloud dev=0 part=LABEL=root", NULL },
	{ "nbdroot=files.example.net,debian-amd64,nbd0 "
	  "root=/dev/nbd0p5 ip=:::::eno1:dhcp",
	  "nbd://files.example.net/debian-amd64 dev=0 part=5", NULL },
	{ "nbdroot=2001:db8::1,debian,nbd0 root=/dev/nbd0 ip=dhcp6",
	  "nbd://[2001:db8::1]/debian dev=0", NULL },
	{ "nbdroot=[2001:db8::1]:10809/pi root=/dev/nbd0p2",
	  "nbd://[2001:db8::1]/pi dev=0 part=2", NULL },
	{ "nbdroot=192.0.2.1,/srv/images/a.img,/dev/nbd0 root=/dev/nbd0",
	  "nbd://192.0.2.1//srv/images/a.img dev=0", NULL },
	{ "nbdroot=192.0.2.1,2000,nbd1 root=/dev/nbd1 ro",
	  "nbd://192.0.2.1:2000/ dev=1", NULL },
	{ "root=UUID=1-2-3 nbdroot=192.0.2.1,x rootflags=subvol=@ "
	  "rootfstype=btrfs",
	  "nbd://192.0.2.1/x part=UUID=1-2-3 fstype=btrfs options=subvol=@"
	  "",
	  NULL },
	{ "root=/dev/nbd0 nbdroot=:2000 ip=dhcp",
	  "nbd://" SERVER ":2000/ dhcp dev=0", "" },
	{ "initrd=initrd.img nbdroot=192.0.2.1:10809 root=/dev/nbd0",
	  "nbd://192.0.2.1/ dev=0", NULL },

	/* ---- dracut: early forms, installers, kexec ---- */
	{ "root=nbd nbdroot=192.0.2.1:2000:ext2:errors=panic:bs=2048",
	  "nbd://192.0.2.1:2000/ fstype=ext2 options=errors=panic bs=2048",
	  NULL },
	{ "root=nbd nbdroot=192.0.2.1:2000", "nbd://192.0.2.1:2000/", NULL },
	{ "root=dhcp nbdroot=192.0.2.1,2000", "nbd://192.0.2.1:2000/", NULL },
	{ "root=nbd:192.0.2.1:2000:ext2:errors=panic:bs=2048",
	  "nbd://192.0.2.1:2000/ fstype=ext2 options=errors=panic bs=2048",
	  NULL },
	{ "root=nbd:192.0.2.1:2000:ext2", "nbd://192.0.2.1:2000/ fstype=ext2",
	  NULL },
	{ "root=dhcp rd.luks=0",
	  "nbd://192.0.2.1/raw dhcp options=errors=panic",
	  "nbd:192.0.2.1:raw::errors=panic" },
	{ "netroot=dhcp rd.luks=0", "nbd://192.0.2.1:2000/ dhcp fstype=ext2",
	  "nbd:192.0.2.1:2000:ext2" },
	{ "ip=dhcp "
	  "root=nbd:192.0.2.20:kiosk:btrfs:rw,noatime,compress=lzo "
	  "rd.timeout=1 rd.retry=2 rd.shell=0 rd.emergency=reboot",
	  "nbd://192.0.2.20/kiosk fstype=btrfs options=rw,noatime,compress=lzo",
	  NULL },
	{ "root=/dev/nbd0p2 "
	  "netroot=nbd:192.0.2.1:disk0:none:defaults:-b512,-p ip=dhcp "
	  "ro rd.luks=0 rd.lvm=0 rd.md=0 rd.fstab=0",
	  "nbd://192.0.2.1/disk0 persist dev=0 part=2 options=defaults bs=512",
	  NULL },
	{ "root=UUID=1-2-3 netroot=nbd:192.0.2.1:10809 rootfstype=ext4 "
	  "rw rootdelay=5 ip=dhcp rootwait console=ttySI0",
	  "nbd://192.0.2.1/ part=UUID=1-2-3 fstype=ext4", NULL },
	{ "ifname=link:52:54:00:00:00:01 ip=link:link6 "
	  "netroot=nbd:[fe80::1%link]:block:::-persist",
	  "nbd://[fe80::1%25link]/block persist", NULL },
	{ "netroot=nbd:192.0.2.1:10809:squashfs root=live:/dev/nbd0",
	  "nbd://192.0.2.1/ other=live:/dev/nbd0 fstype=squashfs", NULL },
	{ "initrd=initrd.img root=/dev/nbd0 ip=dhcp "
	  "nbdroot=192.0.2.1:10809 rd.neednet=1 console=tty0 "
	  "console=ttyS0,115200n8",
	  "nbd://192.0.2.1/ dev=0", NULL },
	{ "root=/dev/nbd0 netroot=nbd:server:export",
	  "nbd://server/export dev=0", NULL },
	{ "root=LABEL=dracut rd.luks.uuid=1-2 rd.lv.vg=dracut ip=dhcp "
	  "netroot=nbd:192.0.2.1:encrypted",
	  "nbd://192.0.2.1/encrypted part=LABEL=dracut", NULL },
	{ "root=/dev/vda2 netroot=nbd:192.0.2.1:x",
	  "nbd://192.0.2.1/x other=/dev/vda2", NULL },

	/* ---- Automotive Grade Linux, a kernel's patch, OpenELEC, rescue ---- */
	{ "console=ttymxc1,115200 rw nbd.server=192.0.2.1 "
	  "nbd.port=12345 root=/dev/ram0 ramdisk_size=16384 "
	  "rootdelay=7 ip=dhcp verbose systemd.log_color=false",
	  "nbd://192.0.2.1:12345/", NULL },
	{ "rw nbd.server=192.0.2.1 nbd.namev3=agl root=/dev/ram0 "
	  "ip=dhcp",
	  "nbd://192.0.2.1/agl", NULL },
	{ "console=ttyS0 debug=y ip=dhcp root=/dev/nbd0 "
	  "nbdroot=192.0.2.2:10809/rootfs.img",
	  "nbd://192.0.2.2/rootfs.img dev=0", NULL },
	{ "ip=dhcp root=/dev/nbd0 nbdroot=10810/rootfs.img",
	  "nbd://" SERVER ":10810/rootfs.img dhcp dev=0", "" },
	{ "netboot nbdroot=192.0.2.1:2000 "
	  "nfsoverlay=192.0.2.1:/var/lib/overlay",
	  "nbd://192.0.2.1:2000/", NULL },
	{ "netboot nbdserver=192.0.2.1 nbdport=2000", "nbd://192.0.2.1:2000/",
	  NULL },
	{ "initrd=initram.igz netboot=nbd://192.0.2.1:2000 dodhcp",
	  "nbd://192.0.2.1:2000/", NULL },
	{ "boot=NBD=192.0.2.1:2000 disk=NBD=192.0.2.1:2001 quiet",
	  "nbd://192.0.2.1:2000/", NULL },
	{ "archisobasedir=arch archisosearchuuid=1-2 "
	  "archiso_nbd_srv=192.0.2.1 copytoram ip=dhcp",
	  "nbd://192.0.2.1/archiso", NULL },
	{ "quiet add_efi_memmap ip=:::::eth0:dhcp nbd_host=192.0.2.15 "
	  "nbd_name=arch root=/dev/nbd0",
	  "nbd://192.0.2.15/arch dev=0", NULL },
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
	"ip=dhcp root=/dev/nbd0 nbd.max_parts=8 boot=local nometadata",
	"root=/dev/nbd0p2 rootfstype=erofs ro net.ifnames=0 ip=dhcp",
	"root=overlay:aoe=eth0",
	"archisobasedir=arch archiso_http_srv=http://192.0.2.1/ ip=dhcp",
	"disk=NBD=192.0.2.1:2001 boot=UUID=1234",
	"netboot=http://192.0.2.1/sysrcd.dat dodhcp",
	"root=/dev/sda1 nbd.nbds_max=4 nbd.max_part=8",
	"root=iscsi:192.0.2.1::::iqn.2009-06.x:t0 ip=dhcp",
	"root=/dev/ram0 rw nbd.debug=1 ip=dhcp",
};

#endif
