#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian with the stock initramfs of initramfs-tools and of dracut, with our
# packages in it: boots, survives its server, and goes down.  TAP on standard
# output.
#
# KINDS are of initramfs-tools, dracut, efi and efi-dracut (the same on a disk that
# nbdboot.efi boots, with a command line that names no server), tftp (dracut, whose
# image is not in /boot for the shutdown), full (it is, and /run is too small for
# it), foreign (dracut in a root that has no dracut), plain (dracut without
# systemd), module (dracut's own module nbd, whose scripts call us as nbd-client),
# dep (of initramfs-tools with MODULES=dep), name (of initramfs-tools, with a
# server that is known by name), networkd (dracut with systemd-networkd, whose
# lease names the root), ltsp (a client of LTSP, with its overlay above a
# squashfs), ltsp-image (the squashfs is a file in an ext4) and nbd-client
# (Debian's own package in place of ours, which is only shown).
# OUTAGE is how long the server is away, in s, after the machine has lost it, and
# longer than services of systemd may take here (3 s).  RELEASE=trixie is Debian 13
# in place of 12.
VM_LIMIT=${VM_LIMIT:-900}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"

outage=${OUTAGE:-10}
kinds=${KINDS:-initramfs-tools}

at_failure()
{
	wrong=1
}

kind_check()
{
	sentence=$kind:\ $1
	shift
	check "$sentence" "$@"
}

# shorten DIR: the limits of systemd's services, where our drop-ins lift them
shorten()
{
	sed -i 's/^WatchdogSec=.*/WatchdogSec=3s/' "$1"/systemd-*.service
	sed -i 's/^WatchdogSec=.*/&\nTimeoutSec=3s/' \
		"$1"/systemd-hostnamed.service "$1"/systemd-timedated.service
}

# make_root NAME KINDS PACKAGE...: $work/NAME.root for these, and the archives of
# its /boot
make_root()
{
	name=$1 make=$2
	shift 2
	tree=$work/tree
	MAKE=$make sh "$here/dropin-root.sh" "$base/dropin" "$debian" \
		"$modules" "$tree" "$@" || exit 1
	mkdir "$work/$name"
	mv "$tree/boot/initrd.img-$version" "$work/$name/initrd.img"
	cp "$tree"/boot/*.img "$work/$name/" 2>/dev/null || :
	cp "$here/guest/dropin.sh" "$tree/usr/sbin/guest"
	printf '%s\n' '[Service]' 'ExecStart=/usr/sbin/guest' \
		'[Install]' 'WantedBy=multi-user.target' \
		>"$tree/etc/systemd/system/guest.service"
	ln -s ../guest.service \
		"$tree/etc/systemd/system/multi-user.target.wants/"
	# too short to unpack dracut's initramfs, and a name before that of our
	# drop-in, which lifts the limit
	mkdir "$tree/etc/systemd/system/dracut-shutdown.service.d"
	printf '%s\n' '[Service]' TimeoutStopSec=1s \
		>"$tree/etc/systemd/system/dracut-shutdown.service.d/10-short.conf"
	# systemd's units have 3min and 90s
	[ $# = 0 ] || shorten "$tree/usr/lib/systemd/system"
	# the kernel modules, of which this needs one, are not in the tree
	ln -s /dev/null \
		"$tree/etc/systemd/system/proc-sys-fs-binfmt_misc.automount"
	pack_root "$work/$name.root"
	rm -rf "$tree"
}

pack_root()
{
	if [ "$name" = ltsp ]; then
		mksquashfs "$tree" "$1" -quiet -no-progress -comp zstd \
			-Xcompression-level 1 -no-xattrs >/dev/null
		return
	fi
	truncate -s 1200M "$1"
	mke2fs -q -t ext4 -E root_owner=0:0,lazy_itable_init=1 -d "$tree" "$1"
}

# Sets the image of the kind, its archive, and the words for it.
choose()
{
	name=ours file=initrd.img vm_memory=1024 root='/dev/nbd0 ext4 rw'
	words="rw root=/dev/nbd0 nbdroot=$host:$port/root ip=dhcp"
	image=$work/$kind.disk fs=$image
	case $kind in
	dracut | module | tftp | full | foreign)
		file=dracut.img
		[ "$kind" != module ] || file=module.img
		words="rw root=nbd:$host:$port:ext4 ip=dhcp"
		;;
	networkd) file=networkd.img ;;
	plain)
		file=plain.img
		words="rw root=LABEL=stock netroot=nbd:$host:$port ip=dhcp"
		;;
	efi*)
		[ "$kind" = efi ] || file=dracut.img
		root='/dev/nbd0p2 ext4 rw'
		words="rw root=LABEL=stock $kernel_words"
		;;
	dep) name=dep ;;
	ltsp*)
		name=ltsp file=both.img root='/run/initramfs/ltsp overlay rw'
		words="root=/dev/nbd0 nbdroot=$host:$port/root ip=dhcp \
BOOTIF=01-52-54-00-12-34-56"
		;;
	nbd-client) name=theirs ;;
	esac
	archive=$work/$name/$file
	cp --sparse=always "$work/$name.root" "$image"
	case $kind in
	dracut | module | plain | tftp | full | foreign | efi-dracut)
		prepare_dracut
		;;
	ltsp*) prepare_ltsp ;;
	efi) e2label "$image" stock ;;
	esac
}

# The image becomes a disk whose boot loader is kernel, archive and words.
boot_efi()
{
	sh "$here/../../boot/initramfs/mkuki.sh" -c "$1" -k "$kernel" \
		-i "$archive" "$work/uki.efi" | sed 's/^/# /'
	esp_mib=96 # dracut makes 65 MB
	esp_of "$esp" "$work/uki.efi" "EFI/BOOT/$uefi_loader"
	fs=$work/efi.root
	mv "$image" "$fs"
	efi_disk "$image" "$esp" "$fs"
	# shellcheck disable=SC2046 # words on purpose
	uefi_start -kernel "$efi" -append "root=nbd://$host:$port/" \
		$(user_net '')
}

# The file system is where judge() looks for it.
take_fs()
{
	[ "$fs" = "$image" ] || dd if="$image" of="$fs" bs=1M skip="$efi_root" \
		count="$(($(stat -c %s "$fs") >> 20))" conv=sparse status=none
}

prepare_ltsp()
{
	cat "$work/ltsp/ltsp.img" "$work/ltsp/initrd.img" >"$archive"
	[ "$kind" = ltsp-image ] || return 0
	words="$words ltsp.image=images/stock.img loop.max_part=9"
	mkdir -p "$work/exported/images"
	mv "$image" "$work/exported/images/stock.img"
	truncate -s 1200M "$image"
	mke2fs -q -t ext4 -d "$work/exported" "$image"
}

prepare_dracut()
{
	e2label "$image" stock
	# For the shutdown it is unpacked again: 200 MB in /run, a fifth of the
	# memory.
	vm_memory=2048
	case $kind in
	tftp | foreign)
		vm_memory=1024
		[ "$kind" = tftp ] || debugfs -w -R \
			"rm /usr/lib/systemd/system/dracut-shutdown.service" \
			"$image" 2>/dev/null
		return
		;;
	full) vm_memory=800 ;;
	esac
	debugfs -w -R "symlink /boot/initrd.img-$version $file" "$image" \
		2>/dev/null
}

export_image()
{
	daemon_at "$port" nbdkit -t 1 -f -v -i 127.0.0.1 -p "$port" file \
		"$image"
}

disconnected()
{
	grep -q 'client sent NBD_CMD_DISC' "$work/daemon.log"
}

# start WORDS [QEMU-ARGUMENT...]: the machine of the kind
start()
{
	all="$words loglevel=4 panic=5 $quiet_systemd \
rd.emergency=poweroff $1"
	shift
	case $kind in
	efi*) boot_efi "$all" ;;
	*) vm_start "$archive" "$all" "$@" ;;
	esac
}

# The names of the files in the archive.
files()
{
	zstd -dcq "$archive" 2>/dev/null | cpio -t --quiet 2>/dev/null
}

# has PATTERN: one of them matches
has()
{
	files | grep -q -e "$1"
}

# The machine itself makes the archive, which has the drivers of its devices.
# Nothing but a network interface, without a peer, is on its USB.
make_dep()
{
	start guest.make -device qemu-xhci -netdev hubport,id=spare,hubid=0 \
		-device usb-net,netdev=spare
	vm_end
	archive=$work/dep/dep.img
	debugfs -R "dump /boot/dep.img $archive" "$image" 2>/dev/null
	most=$(stat -c %s "$work/dep/initrd.img")
	kind_check 'the image is smaller than with MODULES=most' \
		[ "$(stat -c %s "$archive")" -lt "$most" ]
	kind_check 'it has the bus of an interface on USB' has '/xhci-pci\.ko'
}

# The machine boots, loses its server, and goes down.
run_kind()
{
	wrong=''
	choose
	export_image
	[ "$kind" != dep ] || make_dep
	start "guest.port=$port"
	vm_wait '*guest: waits for the end*' || true
	unserve
	# of the kernel: a process of the machine may be waiting for its root
	if vm_wait '*block nbd0: Receive control failed*' \
		'*block nbd0: Send data failed*' \
		'*block nbd0: Dead connection*'; then
		sleep "$outage"
	fi
	export_image
	vm_wait '*guest: asks for*' '*EXT4-fs error*' || true
	asked=$(now_ms)
	# one that has lost its root does not end
	[ "$kind" = nbd-client ] || while vm_wait '*'; do :; done
	# dracut first unpacks its initramfs again
	[ "$kind" != initramfs-tools ] || vm_came "$kind: poweroff arrives"
	vm_stop
	take_fs
	# it first reads what came before the end of the machine
	end_server "$server"
}

# lan_boots SENTENCE WORDS
lan_boots()
{
	vm_start "$archive" "rw $2 loglevel=4 panic=5 rd.emergency=poweroff \
$quiet_systemd"
	# Debian 14 writes other things to the console before
	vm_wait '*guest: root is *' || true
	vm_stop
	kind_check "$1" said 'guest: root is /dev/nbd[0-9]* ext4 rw'
}

# In a network with a server for DHCP and names.
run_lan()
{
	wrong=''
	choose
	# shellcheck source=tests/netns.sh
	. "$here/../netns.sh"
	# shellcheck source=tests/vm/lan.sh
	. "$here/lan.sh"
	lan_up
	lan_dhcpd "--host-record=server.test,$root4" \
		"--dhcp-option=17,nbd:$root4:10809:ext4"
	nbdkit_at "$root4" file "$image"
	vm_taps=t0
	case $kind in
	name) lan_boots 'the server is found by its name' \
		'root=nbd://server.test/ ip=dhcp' ;;
	networkd)
		lan_boots 'the root is the one that DHCP names' \
			'root=/dev/root netroot=dhcp'
		lan_boots 'the root is the one of the command line' \
			"root=nbd:$root4:10809:ext4 ip=dhcp"
		;;
	esac
	vm_taps='' vm_at=''
	[ -z "$wrong" ] || show "$work/log"
	lan_stop
}

# One that goes down without dracut's scripts.
run_down()
{
	wrong=''
	choose
	export_image
	start guest.down
	vm_end
	take_fs
	end_server "$server"
	kind_check 'its root is on NBD' said "guest: root is $root"
	kind_check 'our program, in RAM, ends the machine' \
		said 'nbdboot: all is unmounted and disconnected'
	kind_check 'the server got a disconnect' disconnected
	kind_check 'the file system was left clean' is_clean "$fs"
	[ -z "$wrong" ] || show "$work/log"
}

# Modules are known by their first hook.
hooks()
{
	files | sed -n 's|.*/hooks/cmdline/90-parse-\(nbd.*\).sh|\1|p'
}

judge()
{
	case $kind in
	dracut | plain)
		kind_check "the image has our module, and not dracut's for nbd" \
			[ "$(hooks)" = nbdboot ]
		;;
	module)
		kind_check 'the image has the module that calls nbd-client' \
			[ "$(hooks)" = nbdroot ]
		;;
	esac
	kind_check 'it boots to multi-user with all units' \
		said 'guest: system is running'
	kind_check 'its root is on NBD' said "guest: root is $root"
	[ "$kind" != efi ] || kind_check 'its address is that of the firmware' \
		shows_no_dhcp
	kind_check 'one process watches it, marked for systemd' \
		said 'guest: 1 processes watch it'
	sectors=$(($(stat -c %s "$image") / 512))
	kind_check 'nbd@nbd1 connects what /etc/nbdtab says, and disconnects it' \
		said "guest: nbd@nbd1: active, $sectors\$"
	kind_check 'so does nbdboot@nbd2, with /etc/nbdboot/devices' \
		said "guest: nbdboot@nbd2: active, $sectors\$"
	kind_check "it survives kill -9 of its server, and $outage s without" \
		said 'guest: outlives it, and is running'
	kind_check 'no service of systemd was killed, or has failed' waited
	# nothing of that module disconnects
	[ "$kind" = module ] ||
		kind_check 'the server got a disconnect' disconnected
	# nothing is written to an image of LTSP
	if [ "$name" != ltsp ]; then
		kind_check 'the file system was left clean' is_clean "$fs"
		kind_check 'what was written in the outage is all there' \
			blob_is_whole "$fs"
	fi
	[ -z "$wrong" ] || show "$work/log"
}

# Services had to wait, and systemd for them.
waited()
{
	# the file that it reads is in memory there
	[ "$name" = ltsp ] || said 'guest: hostnamed waits' || return 1
	said 'guest: services were examined' &&
		! said 'guest: .* was killed' && ! said 'guest: failed unit'
}

# initramfs-tools says where an address is from.
shows_no_dhcp()
{
	said 'IP-Config: .* complete' && ! said 'IP-Config: .*dhcp'
}

# yes_if COMMAND...: a cell of a table
yes_if()
{
	if "$@"; then
		printf ' | yes'
	else
		printf ' | no'
	fi
}

row()
{
	printf '# | %s' "$kind"
	yes_if said "guest: root is $root"
	yes_if said 'guest: outlives it'
	yes_if blob_is_whole "$fs"
	yes_if is_clean "$fs"
	yes_if disconnected
	echo ' |'
}

# share KIND: its archive is in the root that several have
share()
{
	case " $common " in
	*" $1 "*) ;;
	*) common="$common $1" ;;
	esac
}

[ "$(id -u)" = 0 ] || die 'only root can make a Debian'
find_kernel
base=$O/debian${RELEASE:+-$RELEASE}
debian=$(sh "$here/../debian.sh" "$base" "${RELEASE-}") || exit 1
make -s -C "$here/../.." O="$O" deb >"$work/debs" || exit 1
common=''
for kind in $kinds; do
	case $kind in
	nbd-client) make_root theirs '' ;;
	dep) make_root dep dep "$O"/deb/*.deb ;;
	ltsp*) [ -e "$work/ltsp" ] ||
		make_root ltsp ltsp "$O"/deb/*.deb ;;
	efi)
		build_efi
		share initramfs-tools
		;;
	efi-dracut)
		build_efi
		share dracut
		;;
	tftp | full | foreign) share dracut ;;
	*) share "$kind" ;;
	esac
done
[ ! "$common" ] || make_root ours "$common" "$O"/deb/*.deb
port=$(free_port)
for kind in $kinds; do
	case $kind in
	name | networkd) run_lan ;;
	tftp | full | foreign) run_down ;;
	*)
		run_kind
		[ "$kind" = nbd-client ] || judge
		[ "$name" = ltsp ] || row >>"$work/table"
		;;
	esac
	rm -f "$image"
done
echo "# | initramfs | boots | survives kill -9 and $outage s | \
data is whole | left clean | disconnects |"
echo '# |---|---|---|---|---|---|'
cat "$work/table" 2>/dev/null || :
finish
