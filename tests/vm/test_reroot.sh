#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Running machines move into other roots, and back.  TAP on standard output.
# shellcheck source=tests/vm/reroot.sh
. "${0%/*}/reroot.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

# Does the image NAME have the files that it was made with, and no inittab?
lacks_inittab()
{
	names=$(debugfs -R 'ls -p /etc' "$work/$1" 2>/dev/null)
	case $names in
	*/inittab/*) false ;;
	*/marker/*) ;;
	*) false ;;
	esac
}

find_kernel
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/server"

# ---- busybox, from a rescue system in RAM ----

make_small
mkdir -p "$small/etc/nbdboot"
cp "$work/pki/ca-cert.pem" "$small/etc/nbdboot"
rm "$small/sbin/init"
image dull "$small"
ln -s ../bin/busybox "$small/sbin/init"
image a "$small"
image local "$small"
# its init has no inittab
rm "$small/etc/inittab"
mkdir "$small/etc/init.d"
printf '%s\n' '#!/bin/sh' '/etc/guest &' >"$small/etc/init.d/rcS"
chmod 755 "$small/etc/init.d/rcS"
image b "$small"
truncate -s 8M "$work/empty"
rescue_initramfs ''

# it ends when its last client leaves and that file is there
start a --filter=exitwhen exit-when-file-created="$work/enough" \
	exit-when-poll=3600
start b --tls=require --tls-certificates="$work/server"
start dull
start empty
a="nbd://$host:$port_a/"
b="nbds://$host:$port_b/?tls-certificates=/etc/nbdboot"
vm_memory=256
start_machine "$work/initramfs" "rdinit=/rescue guest.root=$a \
nbdboot.io-timeout=5" \
	-drive "file=$work/local,format=raw,if=virtio"
vm_wait 'guest: the rescue system is up' || true
check 'a rescue system in RAM moves into a root' arrives a
check 'its processes are gone, and it has the root alone' \
	said "guest: root is $root_disk ext4 rw"

check 'the words for its fixed address have the gateway and another route' \
	succeeds "grep ' ip=10.0.2.15::$host:255.255.255.0::eth0:off \
rd.route=198.18.0.0/15:10.0.2.3:eth0 ' /run/nbdboot/cmdline"

refuses 'a word that is neither a URI nor a device' \
	'nbdboot reroot /dev/vda' 'neither nbd://'
refuses 'a server that is not there' "nbdboot reroot nbd://$host:1/" \
	"^nbdboot: nbd://$host:1/: connect to .*refused"
refuses 'an export without a file system' \
	"nbdboot reroot nbd://$host:$port_empty/" 'holds none of'
refuses 'a root without an init' \
	"nbdboot reroot nbd://$host:$port_dull/" 'has no /sbin/init'
refuses 'a server without TLS' \
	"nbdboot reroot 'nbds://$host:$port_a/?tls-certificates=/etc/nbdboot'" \
	'does not offer TLS'
refuses 'a device that this machine does not have' \
	'nbdboot reroot local:/dev/vdz' 'No such file'
refuses 'a device that is disconnected by then' \
	'nbdboot reroot local:/dev/nbd0' 'it is disconnected when'
refuses 'an overlay that is none' \
	"nbdboot reroot -o rubbish nbd://$host:$port_a/" 'is not tmpfs'
refuses 'a machine without free memory' "mount -t tmpfs -o size=100% m /tmp; \
dd if=/dev/zero of=/tmp/x bs=1024 count=\$((\$(awk '/^MemAvailable/ \
{ print \$2 }' /proc/meminfo) - 20000)) 2>/dev/null; nbdboot reroot $a; \
rc=\$?; umount /tmp; (exit \$rc)" 'KiB of memory are free'
# It answers no read; the process that waits for one sleeps in poll().
cp "$work/a" "$work/slow"
start slow --filter=delay rdelay=3600
check 'a signal ends the checks, while a read hangs' succeeds \
	"nbdboot reroot nbd://$host:$port_slow/ & p=\$!; \
until grep -q '^7 \|^73 ' /proc/\$p/syscall; do :; done; kill \$p; wait \$p; \
[ \$? = 143 ]"
tell 'ls /sys/block; grep -l . /sys/block/nbd*/pid'
vm_wait 'guest: status *' || true
check 'none of this leaves a device connected' \
	eval 'said nbd0/pid && ! said nbd1/pid'

before=$(goodbyes empty)
# until it sleeps in poll() of x86-64 or ppoll() of AArch64: it has looked
tell "d=\$(nbdboot connect nbd://$host:$port_empty/); mkswap /dev/\$d; \
swapon /dev/\$d; nbdboot disconnect -w \$d & p=\$!; while [ -e /proc/\$p ] && \
! grep -q '^7 \|^73 ' /proc/\$p/syscall; do :; done; swapoff /dev/\$d; wait \$p"
vm_wait 'guest: status *' || true
check 'disconnect -w waits until a device is no longer in use' \
	[ "$line" = 'guest: status 0' ]
check 'and then disconnects it' [ "$(goodbyes empty)" -gt "$before" ]

before=$(goodbyes a)
tell "unshare -m nbdboot reroot '$b'"
check 'from a server to another, with TLS, from other mounts' arrives b
check 'the old server saw the disconnect' [ "$(goodbyes a)" -gt "$before" ]

tell "nbdboot reroot -o size=20M $a"
check 'into an overlay, from a root without an inittab' arrives a
check 'the root is the overlay' said 'guest: root is overlay overlay rw'
check 'the other one has no inittab yet' lacks_inittab b

# make soak-reroot goes there and back five times
ROUNDS=${ROUNDS:-1}
ten_times a "$a" b "$b"

# as where the firmware or DHCP named it: only the device knows the server
tell "echo nbdboot.io-timeout=5 >/run/nbdboot/cmdline; nbdboot reroot '$b'"
vm_wait '*this system ends now' || true
stop b
check 'a server that is gone after the checks: the old root is taken again' \
	arrives a
check 'the console says so' said 'the new root failed: back to the old one'

tell 'nbdboot reroot local:/dev/vda'
check 'from a server to a disk of the machine' arrives local
tell "nbdboot reroot $a"
vm_wait '*this system ends now' || true
echo 'set_link net off' >"$work/monitor.in"
check 'a network that is gone after the checks: the old root is taken again' \
	arrives local
check 'the console says so again' \
	said 'the new root failed: back to the old one'
echo 'set_link net on' >"$work/monitor.in"
tell "nbdboot reroot --when-ready $a"
check 'and with the network the new one' arrives a

# soak_reroot_faults.sh has all of them
faults_begin
start b
bad=nbd://$host:$faulty/
moves die 32 "$bad,nbd://$host:$port_b/"
ends_as 'its server dies during the checks, and another one lives' moved
check 'that happened' [ "$happened" = fault ]
moves stall 20 "$bad"
ends_as 'its server stops in the middle of an answer' moved
check 'so did that' [ "$happened" = fault ]
stop b

start b --tls=require --tls-certificates="$work/server"
tell "nbdboot reroot '$b'"
vm_wait '*this system ends now' || true
: >"$work/enough"
stop b
vm_wait '*trying the new root again' || true
start b --tls=require --tls-certificates="$work/server"
vm_wait 'guest: b is ready' '*Kernel panic*' || true
check 'both are gone: it tries until one is back' said 'guest: b is ready'
vm_stop
stop b

# ---- Debian 12, with systemd, and 13, which is new ----

tree=$work/tree13
make_tree trixie
add_kernel
image new "$tree" 400M
cp --sparse=always "$work/new" "$work/more"
rm -rf "$tree"
tree=$work/tree
make_tree
add_kernel
start_debian

before=$(goodbyes old)
tell "(while :; do dd if=/dev/urandom of=/var/tmp/x bs=64k count=200; done \
2>/dev/null) & systemd-run -p PrivateTmp=yes /usr/local/sbin/nbdboot reroot $new"
check 'under load it moves to another server, by a service with other mounts' \
	arrives new
check 'its old device was disconnected' [ "$(goodbyes old)" -gt "$before" ]
check 'the lease is renewed as before' said 'guest: process: @nbdbootrenew'
check 'the root is that of Debian 13' succeeds 'grep ^13 /etc/debian_version'

before=$(goodbyes new)
first=$(boot_id)
tell 'nbdboot reroot local:/dev/vda'
check 'from a server to the disk of the machine' arrives disk
check 'the root is that disk' said 'guest: root is /dev/vda ext4 rw'
check 'no device is connected' said '^guest: disks $'
check 'the server saw the disconnect' [ "$(goodbyes new)" -gt "$before" ]

tell "nbdboot reroot -o tmpfs $old"
check 'from the disk to a server, with an overlay' arrives old
check 'which renews the lease again, as nobody did in between' \
	said 'guest: process: @nbdbootrenew'
check 'the root is the overlay' said 'guest: root is overlay overlay rw'
check 'the disk is free' succeeds 'blockdev --rereadpt /dev/vda'
last=$(boot_id)
check "no kernel has started in between ($first, $last)" same_kernel

# ---- with another kernel ----

refuses 'a kernel that is none' \
	"nbdboot reroot --kexec --kernel=/etc/file --initrd=none $new" \
	'not a kernel'
check 'and then no kernel is loaded' succeeds \
	'grep -qx 0 /sys/kernel/kexec_loaded'
before=$(goodbyes old)
first=$(boot_id)
tell "nbdboot reroot --kexec --append=guest.again $new"
check 'with its kernel into another root' arrives new
check 'the old server saw the disconnect' [ "$(goodbyes old)" -gt "$before" ]
last=$(boot_id)
check "the kernel has started anew ($first, $last)" started_anew
check 'its command line has the new root alone, and the words to append' \
	said "^console=[^/]* ip=[^/ ]*dhcp [^/]*root=$new rw guest.again$"
check 'the sysctl is set' succeeds \
	'echo 1 >/proc/sys/kernel/kexec_load_disabled'
refuses 'where the sysctl forbids it' "nbdboot reroot --kexec $old" \
	'kexec_load_disabled is 1'

# ---- soft reboots, which leave what is mounted below /run behind ----

start more
tell "nbdboot reroot nbd://$host:$port_more/"
check 'by a soft reboot into another root' arrives new
check 'that way' softly
tell "mkdir -p /run/nextroot && mount --bind / /run/nextroot && \
systemctl soft-reboot"
check 'by one of the administrator, into the same' arrives new
before=$(goodbyes more)
tell 'systemctl poweroff'
vm_end
check 'the machine ends as it does without them' \
	said 'all is unmounted and disconnected'
all_left more
check 'and the server saw the disconnect' [ "$(goodbyes more)" -gt "$before" ]
for name in new more disk; do
	check "the file system of $name was left clean" is_clean "$work/$name"
done

finish
