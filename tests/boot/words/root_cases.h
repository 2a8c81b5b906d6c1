/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every form that somebody documents for a root on NBD, and what it means.
 * want is what summary() makes of it: the URIs, then what else was given.
 */
#ifndef TESTS_BOOT_ROOT_CASES_H
#define TESTS_BOOT_ROOT_CASES_H

struct root_case {
	const char *line; /* a kernel command line */
	const char *want;
	const char *root_path; /* DHCP's */
};

/* The boot server of DHCP, in every case whose root_path is not NULL. */
#define SERVER "10.9.9.9"

static const struct root_case uri_cases[] = {
	{ "root=nbd://srv", "nbd://srv/", NULL },
	{ "root=nbd://srv/x", "nbd://srv/x", NULL },
	{ "root=nbd://srv:10810/a/b", "nbd://srv:10810/a/b", NULL },
	{ "root=nbd://[fe80::1%25eth0]/x", "nbd://[fe80::1%25eth0]/x", NULL },
	{ "root=NBD://srv//x", "nbd://srv//x", NULL },
	{ "root=nbd+unix:///x?socket=/s", "nbd+unix:///x?socket=/s unix",
	  NULL },
	{ "root=nbd+unix:?socket=/s", "nbd+unix:///?socket=/s unix", NULL },
	{ "root=nbds://u@srv/x?tls-psk-file=/k",
	  "nbds://u@srv/x?tls-psk-file=/k tls", NULL },
	{ "root=nbds://srv/?tls-certificates=/etc/nbdboot&tls-hostname=o.ex",
	  "nbds://srv/?tls-hostname=o.ex&tls-certificates=/etc/nbdboot tls",
	  NULL },
	/* several servers; a comma alone belongs to the name */
	{ "root=nbd://a/x,nbd://b/y", "nbd://a/x nbd://b/y", NULL },
	{ "root=nbd://a/x,y,nbds://b/y,", "nbd://a/x,y nbds://b/y, tls", NULL },
	{ "root=nbd://a/x,nbd:b", "nbd://a/x,nbd:b", NULL },
	{ "root=nbd://a/,nbd://b/,nbd://c/,nbd://d/",
	  "nbd://a/ nbd://b/ nbd://c/ nbd://d/", NULL },
	/* together with words of the kernel */
	{ "root=nbd://srv/x rootfstype=xfs rootflags=a,b nbdboot.part=3",
	  "nbd://srv/x part=3 fstype=xfs options=a,b", NULL },
	{ "root=nbd://srv/x nbdboot.connections=4", "nbd://srv/x conns=4",
	  NULL },
	/* in the words of other programs, too */
	{ "netroot=nbd://srv/x", "nbd://srv/x", NULL },
	{ "nbdroot=nbd://srv/x root=/dev/nbd0", "nbd://srv/x dev=0", NULL },
};

static const struct root_case dracut_cases[] = {
	{ "root=nbd:srv:10810", "nbd://srv:10810/", NULL },
	{ "root=nbd:srv:x", "nbd://srv/x", NULL },
	{ "root=nbd:10.0.2.2:a/b", "nbd://10.0.2.2/a/b", NULL },
	{ "root=nbd:[2001:db8::1]:x", "nbd://[2001:db8::1]/x", NULL },
	{ "root=nbd:[fe80::1%eth0]:2", "nbd://[fe80::1%25eth0]:2/", NULL },
	{ "root=nbd:srv:x:ext4", "nbd://srv/x fstype=ext4", NULL },
	{ "root=nbd:srv:x::noatime", "nbd://srv/x options=noatime", NULL },
	{ "root=nbd:srv:x:auto:noatime", "nbd://srv/x options=noatime", NULL },
	{ "root=nbd:srv:x:ext4:ro,noatime",
	  "nbd://srv/x fstype=ext4 options=ro,noatime", NULL },
	{ "root=nbd:srv:x:ext4:noatime:bs=4096",
	  "nbd://srv/x fstype=ext4 options=noatime bs=4096", NULL },
	{ "root=nbd:srv:x:::timeout=7,dead-timeout=9,connections=3",
	  "nbd://srv/x conns=3 t=7 D=9", NULL },
	/* the kernel's own words come last, and win */
	{ "root=nbd:srv:x:ext4:noatime rootfstype=xfs rootflags=discard",
	  "nbd://srv/x fstype=xfs options=noatime,discard", NULL },
	/* netroot=, with every kind of root= */
	{ "root=/dev/root netroot=nbd:srv:x", "nbd://srv/x", NULL },
	{ "netroot=nbd:srv:x root=/dev/nbd0", "nbd://srv/x dev=0", NULL },
	{ "root=/dev/nbd0p2 netroot=nbd:srv:x", "nbd://srv/x dev=0 part=2",
	  NULL },
	{ "root=LABEL=r netroot=nbd:srv:x", "nbd://srv/x part=LABEL=r", NULL },
	{ "root=UUID=1-2 netroot=nbd:srv:x", "nbd://srv/x part=UUID=1-2",
	  NULL },
	{ "root=PARTUUID=1-2 netroot=nbd:srv:x",
	  "nbd://srv/x part=PARTUUID=1-2", NULL },
	{ "root=/dev/disk/by-label/r netroot=nbd:srv:x",
	  "nbd://srv/x part=LABEL=r", NULL },
	{ "root=/dev/disk/by-partuuid/r netroot=nbd:srv:x",
	  "nbd://srv/x part=PARTUUID=r", NULL },
	{ "root=/dev/nbd0p2 netroot=nbd:srv:x nbdboot.part=3",
	  "nbd://srv/x dev=0 part=3", NULL },
	{ "root=dhcp netroot=nbd:srv:x", "nbd://srv/x", NULL },
	{ "root= netroot=nbd:srv:x", "nbd://srv/x", NULL },
	{ "root=PARTLABEL=r netroot=nbd:srv:x", "nbd://srv/x part=PARTLABEL=r",
	  NULL },
	{ "root=/dev/disk/by-partlabel/a\\x20b\\x netroot=nbd:srv:x",
	  "nbd://srv/x part=PARTLABEL=a b\\\\x", NULL },
	{ "root=LABEL=a\\x20b netroot=nbd:srv:x",
	  "nbd://srv/x part=LABEL=a\\\\x20b", NULL },
	{ "root=/dev/ram0 netroot=nbd:srv:x", "nbd://srv/x", NULL },
};

static const struct root_case debian_cases[] = {
	{ "nbdroot=10.0.0.1,x,nbd0", "nbd://10.0.0.1/x dev=0", NULL },
	{ "nbdroot=10.0.0.1,10810,nbd3", "nbd://10.0.0.1:10810/ dev=3", NULL },
	{ "nbdroot=srv,x root=/dev/nbd0", "nbd://srv/x dev=0", NULL },
	{ "nbdroot=srv,x root=/dev/nbd0p1", "nbd://srv/x dev=0 part=1", NULL },
	{ "nbdroot=srv,x,nbd0p1", "nbd://srv/x dev=0 part=1", NULL },
	{ "nbdroot=srv,x,nbd0 root=/dev/nbd1", "nbd://srv/x dev=1", NULL },
	{ "nbdroot=srv,x nbddev=/dev/nbd2", "nbd://srv/x dev=2", NULL },
	{ "nbdroot=srv,x nbddev=nbd2 root=/dev/nbd1", "nbd://srv/x dev=1",
	  NULL },
	{ "nbdroot=fe80::1,x,nbd0", "nbd://[fe80::1]/x dev=0", NULL },
	{ "nbdroot=[fe80::1],x,nbd0", "nbd://[fe80::1]/x dev=0", NULL },
	{ "nbdroot=10.0.2.2/myvm root=/dev/nbd0", "nbd://10.0.2.2/myvm dev=0",
	  NULL },
	{ "nbdroot=srv:10810/x root=/dev/nbd0", "nbd://srv:10810/x dev=0",
	  NULL },
	{ "nbdroot=srv:10810/a/b", "nbd://srv:10810/a/b", NULL },
	/* as with NFS, the name begins with the slash */
	{ "nbdroot=srv:/opt/x root=/dev/nbd0", "nbd://srv//opt/x dev=0", NULL },
	{ "nbdroot=[2001:db8::1]:10810/x", "nbd://[2001:db8::1]:10810/x",
	  NULL },
	{ "nbdroot=[2001:db8::1]:/x", "nbd://[2001:db8::1]//x", NULL },
	{ "nbdroot=[2001:db8::1]/x", "nbd://[2001:db8::1]/x", NULL },
	{ "nbdroot=srv", "nbd://srv/", NULL },
	{ "nbdroot=srv,", "nbd://srv/", NULL },
	/* a port behind the host */
	{ "nbdroot=10.0.0.1:2000,nbd0", "nbd://10.0.0.1:2000/ dev=0", NULL },
	{ "nbdroot=srv:2000,x,nbd0p1 root=/dev/nbd1", "nbd://srv:2000/x dev=1",
	  NULL },
	{ "nbdroot=srv:2000,x", "nbd://srv:2000/x", NULL },
	{ "nbdroot=[fe80::1]:2000,nbd3", "nbd://[fe80::1]:2000/ dev=3", NULL },
	{ "nbdroot=:2000,nbd0", "nbd://" SERVER ":2000/ dhcp dev=0", "" },
	{ "nbdroot=srv,nbd0", "nbd://srv/nbd0", NULL },
	/* or in a word of its own */
	{ "nbdroot=srv nbdport=2000", "nbd://srv:2000/", NULL },
	{ "nbdroot=srv:1/x nbdport=2000", "nbd://srv:1/x note=nbdport", NULL },
	{ "nbdroot=dhcp nbdport=2000", "nbd://srv/x dhcp note=nbdport",
	  "srv,x" },
	/* DHCP has to complete these */
	{ "nbdroot=dhcp root=/dev/nbd0", "dhcp dev=0", NULL },
	{ "nbdroot= root=/dev/nbd0", "dhcp dev=0", NULL },
	{ "nbdroot=dhcp,x,nbd0", "dhcp dev=0", NULL },
	{ "nbdroot=dhcp,x,nbd0", "nbd://" SERVER "/x dhcp dev=0", "" },
	{ "nbdroot=dhcp,x,nbd0", "nbd://10.1.1.1/x dhcp dev=0", "10.1.1.1" },
	{ "nbdroot=dhcp,x", "nbd://" SERVER "/x dhcp", "srv:/nfs" },
	{ "nbdroot=dhcp,10810", "nbd://" SERVER ":10810/ dhcp", "" },
	{ "nbdroot=,x", "nbd://" SERVER "/x dhcp", "" },
	{ "nbdroot=/opt/x", "nbd://" SERVER "//opt/x dhcp", "" },
	{ "nbdroot=:10810/x", "nbd://" SERVER ":10810/x dhcp", "" },
};

static const struct root_case other_cases[] = {
	/* mkinitcpio-nbd */
	{ "nbd_host=srv nbd_name=x root=/dev/nbd0", "nbd://srv/x dev=0", NULL },
	{ "nbd_host=srv nbd_name=x nbd_port=10810 root=/dev/nbd0p1",
	  "nbd://srv:10810/x dev=0 part=1", NULL },
	{ "nbd_host=fe80::1 nbd_name=7", "nbd://[fe80::1]/7", NULL },
	{ "nbd_host=[fe80::1] nbd_name=7", "nbd://[fe80::1]/7", NULL },
	{ "nbd_host=srv", "nbd://srv/", NULL },
	{ "nbd-host=srv nbd-name=x", "nbd://srv/x", NULL },
	/* archiso, LibreELEC, KIWI */
	{ "archiso_nbd_srv=srv archiso_nbd_name=x", "nbd://srv/x", NULL },
	{ "archiso_nbd_srv=srv", "nbd://srv/archiso", NULL },
	{ "boot=NBD=srv:10810", "nbd://srv:10810/", NULL },
	{ "boot=NBD=srv:10810:x", "nbd://srv:10810/x", NULL },
	{ "root=overlay:nbd=10.0.0.1:x", "nbd://10.0.0.1/x overlay", NULL },
	{ "archiso_nbd_srv=${pxeserver}", "nbd://" SERVER "/archiso dhcp", "" },
	{ "archiso_nbd_srv=${pxeserver} archiso_nbd_name=x", "dhcp", NULL },
	/* QEMU */
	{ "root=nbd:srv:10810:exportname=a:b", "nbd://srv:10810/a:b", NULL },
	{ "netroot=nbd:[::1]:10810:exportname=%h", "nbd://[::1]:10810/host-7",
	  "" },
	/* a boot= that is not about us */
	{ "boot=live root=nbd://srv/x", "nbd://srv/x", NULL },
};

static const struct root_case dhcp_cases[] = {
	{ "root=dhcp", "dhcp", NULL },
	{ "root=dhcp6", "dhcp", NULL },
	{ "netroot=dhcp", "dhcp", NULL },
	{ "root=/dev/root netroot=dhcp", "dhcp", NULL },
	{ "root=dhcp", "dhcp", "" },
	/* dracut */
	{ "root=dhcp", "nbd://srv/x dhcp", "nbd:srv:x" },
	{ "root=dhcp", "nbd://srv:10810/ dhcp", "nbd:srv:10810" },
	{ "netroot=dhcp root=/dev/root",
	  "nbd://[2001:db8::1]/x dhcp fstype=ext4 options=noatime bs=512",
	  "nbd:[2001:db8::1]:x:ext4:noatime:bs=512" },
	{ "netroot=dhcp root=/dev/nbd0p1", "nbd://srv/x dhcp dev=0 part=1",
	  "nbd:srv:x" },
	/* words of the command line are not DHCP's */
	{ "netroot=dhcp rootfstype='e rootflags='x",
	  "nbd://srv/x dhcp fstype='e options=a=b-c_d.e/f@+1,'x",
	  "nbd:srv:x:ext4:a=b-c_d.e/f@+1" },
	/* Debian */
	{ "nbdroot=dhcp", "nbd://srv/x dhcp dev=0", "srv,x,nbd0" },
	{ "nbdroot=dhcp", "nbd://srv/x dhcp dev=0", "nbdroot=srv,x,nbd0" },
	{ "nbdroot=dhcp root=/dev/nbd1", "nbd://srv/x dhcp dev=1",
	  "srv,x,nbd0" },
	{ "nbdroot=dhcp", "nbd://srv/ dhcp", "srv" },
	{ "nbdroot=dhcp", "nbd://[fe80::1]:10810/x dhcp", "[fe80::1]:10810/x" },
	{ "nbdroot=dhcp", "nbd://srv:10810/x dhcp", "srv:10810/x" },
	{ "nbdroot=dhcp", "nbd://srv//x dhcp", "srv:/x" },
	{ "root=dhcp", "nbd://srv/x dhcp", "nbdroot=srv/x" },
	{ "root=dhcp", "nbd://srv/x dhcp dev=0", "nbdroot=srv,x,nbd0" },
	/* iPXE and libnbd */
	{ "root=dhcp", "nbd://srv/x dhcp", "nbd://srv/x" },
	{ "root=dhcp", "nbds://srv:10810/x dhcp tls", "nbds://srv:10810/x" },
	{ "root=dhcp", "nbd://a/ nbd://b/ dhcp", "nbd://a/,nbd://b/" },
};

/* The values are those of `machine` in test_root.c. */
static const struct root_case fill_cases[] = {
	{ "root=nbd://srv/%h", "nbd://srv/host-7", "" },
	{ "root=nbd://srv/%m/%u/%s", "nbd://srv/52:54:00:00:00:01/u-u/S%20/1",
	  "" },
	{ "root=nbd://srv/%25h%41%%", "nbd://srv/%25hA%25", "" },
	{ "root=nbds://%h@srv/?tls-psk-file=/k",
	  "nbds://host-7@srv/?tls-psk-file=/k tls", "" },
	{ "root=nbd://%h.ex/", "nbd://host-7.ex/", "" },
	/* outside of URIs there is no percent-encoding */
	{ "root=nbd:srv:%h", "nbd://srv/host-7", "" },
	{ "root=nbd:srv:a%41%%h%", "nbd://srv/a%2541%25h%25", "" },
	{ "nbdroot=srv,%m", "nbd://srv/52:54:00:00:00:01", "" },
	{ "nbdroot=srv/%s", "nbd://srv/S%20/1", "" },
	{ "nbd_host=srv nbd_name=%u", "nbd://srv/u-u", "" },
	{ "root=dhcp", "nbd://srv/host-7 dhcp", "nbd:srv:%h" },
	/* the first step puts the letter in place of the value */
	{ "root=nbd://srv/%h-%m-%u-%s-%%", "nbd://srv/h-m-u-s-%25", NULL },
	{ "root=nbd:srv:%h", "nbd://srv/h", NULL },
};

/* nbdboot.tls=require lets these pass. */
static const struct root_case tls_cases[] = {
	{ "nbdboot.tls=require root=nbds://a/,nbds://b/?tls-verify-peer=1",
	  "nbds://a/ nbds://b/?tls-verify-peer=1 tls", NULL },
	{ "nbdboot.tls=require root=nbd:srv:x:::-x", "nbds://srv/x tls", NULL },
	{ "nbdboot.tls=require root=dhcp", "dhcp", NULL },
	{ "nbdboot.tls=require root=dhcp", "dhcp", "" },
	{ "nbdboot.tls=require root=dhcp", "nbds://srv/x dhcp tls",
	  "nbds://srv/x" },
	{ "nbdboot.tls=require root=dhcp", "nbds://srv/x dhcp tls",
	  "nbd:srv:x:::enable-tls" },
	/* DHCP names the server, and the command line what proves it */
	{ "nbdboot.tls=require root=nbd::x:::H=o,A=/a",
	  "nbds://" SERVER "/x?tls-hostname=o dhcp tls ca=/a", "" },
	{ "nbdboot.tls=require root=nbds://srv/x?tls-psk-file=/k",
	  "nbds://srv/x?tls-psk-file=/k tls", "nbd:evil:x" },
	{ "root=dhcp", "nbds://srv/x?tls-psk-file=/k dhcp tls",
	  "nbds://srv/x?tls-psk-file=/k" },
};

#define NO_TLS "nbdboot.tls=require forbids servers without TLS"

#define OTHER "begins with neither nbd:, nbd:// nor nbds://"
#define MOUNT "a type or an option of the mount"

static const struct {
	const char *line, *says, *root_path;
} bad_cases[] = {
	{ "root=nbd://srv/x nbdboot.tls=require", NO_TLS, NULL },
	{ "nbdboot.tls=require root=nbds://a/,nbd://b/", NO_TLS, NULL },
	{ "nbdboot.tls=require root=nbd+unix:?socket=/s", NO_TLS, NULL },
	{ "nbdboot.tls=require root=nbd:srv:x", NO_TLS, NULL },
	{ "nbdboot.tls=require nbdroot=srv,x", NO_TLS, NULL },
	{ "nbdboot.tls=require nbd_host=srv", NO_TLS, NULL },
	{ "nbdboot.tls=require nbdroot=dhcp,x", NO_TLS, "" },
	{ "nbdboot.tls=require root=nbds://srv/?tls-verify-peer=0",
	  "forbids tls-verify-peer=0", NULL },
	{ "nbdboot.tls=require root=dhcp",
	  "root-path of DHCP=nbd://srv/x: " NO_TLS, "nbd://srv/x" },
	{ "nbdboot.tls=require nbdroot=dhcp", NO_TLS, "srv,x" },
	{ "nbdboot.tls=require root=dhcp", NO_TLS, "nbds://a/,nbd://b/" },
	{ "nbdboot.tls=require root=dhcp", "forbids tls-verify-peer=0",
	  "nbds://a/,nbds://%h/?tls-verify-peer=0" },
	{ "nbdboot.tls=require root=dhcp",
	  "root-path of DHCP=nbds://h/?tls-psk-file=/k: nbdboot.tls=require "
	  "takes tls-psk-file= from the kernel command line only, not from "
	  "DHCP",
	  "nbds://h/?tls-psk-file=/k" },
	{ "nbdboot.tls=require root=dhcp", "takes tls-hostname= from",
	  "nbds://a/,nbds://b/?tls-hostname=o" },
	{ "nbdboot.tls=require root=dhcp", "takes tls-certificates= from",
	  "nbds://b/?tls-certificates=/tmp,nbds://a/" },
	{ "nbdboot.tls=require root=dhcp", "takes tls-hostname= from",
	  "nbd:srv:x:::tlshostname=o" },
	{ "nbdboot.tls=require root=dhcp", "takes tls-hostname= from",
	  "nbd:srv:x:::-H=o" },
	{ "nbdboot.tls=require root=dhcp", "takes cacertfile= from",
	  "nbd:srv:x:::cacertfile=/tmp/a" },
	{ "nbdboot.tls=require root=dhcp", "takes certfile= from",
	  "nbd:srv:x:::certfile=/c,keyfile=/k" },
	{ "nbdboot.tls=require nbdroot=dhcp", "takes keyfile= from",
	  "nbdroot=nbd:srv:x:::K=/k" },
	{ "", "root=: no server", NULL },
	{ "root=/dev/nbd0", "no server", NULL },
	{ "root=/dev/sda1", "root=/dev/sda1: neither", NULL },
	{ "root=/dev/sda1 nbdroot=srv,x", "root=/dev/sda1: neither", NULL },
	{ "root=/dev/nbd0x nbdroot=srv,x", "neither", NULL },
	{ "root=/dev/nbd0p nbdroot=srv,x", "neither", NULL },
	{ "root=/dev/nbd0p256 nbdroot=srv,x", "neither", NULL },
	{ "root=nfs:srv:/x", "neither", NULL },
	{ "root=LABEL= netroot=nbd:srv:x", "neither", NULL },
	{ "root=nbd://srv/%zz", "(at character 11)", NULL },
	{ "root=nbd://a/,nbd://b:0/", "root=nbd://b:0/: a port", NULL },
	{ "root=nbd://a/,nbd://b/,nbd://c/,nbd://d/,nbd://e/",
	  "more than 4 servers", NULL },
	{ "root=nbds:srv", "no //host", NULL },
	{ "root=nbd:a@b:x", "not a host name", NULL },
	{ "nbdroot=[::1", "not a host name", NULL },
	{ "nbdroot=[::1,x", "not an IPv6 address", NULL },
	{ "boot=NBD=[::1:10809", "need [brackets]", NULL },
	{ "root=nbd:-x:x", "not a host name", NULL },
	{ "root=nbd:[::1]x:y", "after the host", NULL },
	{ "root=nbd:[::g]:y", "not an IPv6 address", NULL },
	{ "root=nbd:[::1:y", "not a host name", NULL },
	{ "nbdroot=srv:x/y", "port", NULL },
	{ "nbdroot=srv:65536/y", "port", NULL },
	{ "nbdroot=fe80::1/y", "[brackets]", NULL },
	{ "nbdroot=srv,x,sda", "third field", NULL },
	{ "nbdroot=srv,x,", "third field", NULL },
	{ "nbdroot=[::1]x,y", "after the host", NULL },
	{ "nbdroot=srv:0,nbd0", "port", NULL },
	{ "nbdroot=srv:x,nbd0", "port", NULL },
	{ "nbdroot=srv nbdport=x", "nbdport=x: a port", NULL },
	{ "root=nbd:srv:x:exportname=y", "port", NULL },
	{ "root=nbd:unix:/s:exportname=y", "QEMU's form of a UNIX", NULL },
	{ "nbdroot=srv,x nbddev=sda", "nbddev=sda: not", NULL },
	{ "nbd_host= nbd_name=x", "nbd_host=: no host", NULL },
	{ "nbd_host=srv nbd_port=x", "nbd_port=x: a port", NULL },
	{ "nbd_host=srv nbd_port=0", "nbd_port=0: a port", NULL },
	{ "nbd.server=srv nbd.port=x", "nbd.port=x: a port", NULL },
	{ "nbdserver=srv nbdport=0", "nbdport=0: a port", NULL },
	{ "nbdserver=", "nbdserver=: no host", NULL },
	{ "nbdroot=s.x:2000:ext2:o:bs=y nbddev=sda", "nbddev=sda", NULL },
	{ "boot=NBD=srv", "port", NULL },
	{ "boot=NBD=srv:x", "port", NULL },
	{ "netroot=iscsi:srv::::iqn", "iscsi: is no Network Block", NULL },
	/* a secret is not printed, to be kept in logs */
	{ "netroot=iscsi:me:word@srv::::iqn", "netroot: iscsi: is no", NULL },
	{ "root=dhcp", "root-path of DHCP: iscsi: is no", "iscsi:srv::::iqn" },
	{ "root=dhcp", "nfs: is no", "nfs:srv:/x" },
	{ "root=dhcp", "cifs: is no Network", "cifs://srv/x" },
	{ "nbdroot=dhcp", "cifs: is no Network", "cifs://u:p@srv/x" },
	{ "netroot=ftp://srv/x", "ftp: is no Network", NULL },
	{ "netroot=livenet:http://srv/x", "livenet: is no Network", NULL },
	/* roots of other programs */
	{ "root=dhcp", OTHER, "192.0.2.1:/srv/nfs" },
	{ "netroot=dhcp", OTHER, "192.0.2.1:/srv/nfs" },
	{ "root=dhcp", OTHER, "[2001:db8::1]:/srv/nfs" },
	{ "root=dhcp", OTHER, "/srv/nfs" },
	{ "root=dhcp", OTHER, "srv" },
	{ "root=dhcp", OTHER, "srv,x,nbd0" },
	{ "root=dhcp", OTHER, "nbdboot:x" },
	{ "root=dhcp", "refers to itself", "dhcp" },
	{ "root=dhcp", "refers to itself", "nbdroot=dhcp" },
	{ "root=dhcp", "refers to itself", "nbdroot=" },
	{ "root=dhcp", "control character", "nbd:srv:a\033[0m" },
	{ "nbdroot=dhcp", "control character", "srv,a\n,nbd0" },
	{ "nbdroot=dhcp", "port", "srv:y/x" },
	{ "root=dhcp", MOUNT, "nbd:srv:x:ext4 -o:" },
	{ "root=dhcp", MOUNT, "nbd:srv:x:ext4:a=\\0047;reboot" },
	{ "root=dhcp", MOUNT, "nbd:srv:x:ext4:a='b'" },
	{ "root=dhcp", MOUNT, "nbd:srv:x:ext4:a\"b" },
	{ "root=dhcp", MOUNT, "nbd:srv:x:`reboot`" },
	{ "root=dhcp rootfstype=ext4", MOUNT, "nbd:srv:x::$(reboot)" },
	{ "root=dhcp", MOUNT, "nbd:srv:x::%n" },
	{ "root=dhcp", MOUNT, "nbd:srv:x::\303\274" },
};

#endif
