#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The scripts for other makers of an initramfs, each with a stub of what calls
# it: what each form of the command line leads to.  And the completion of shells.
# shellcheck disable=SC1090,SC1091,SC2030 # files of this script, subshells
O=${1:-build}
. "${0%/*}/../tap.sh"
boot=${0%/*}/../../boot

# busy: empty, or a file, as if nbd0 were in use
mkdir -p "$work/bin" "$work/run" "$work/busy"
# nbdboot itself, but it connects nothing, and watches nothing.
cat >"$work/bin/nbdboot" <<END
#!/bin/sh
case \$1 in
watch | ifup) echo "\$*" >>'$work/calls'; exit ;;
esac
connect=''
shift
[ "\$1" != -c ] || { connect=1; shift; }
case \$1 in
--wanted) ;;
*)
	# what the firmware has left comes first
	[ ! -e '$work/handed' ] || for line; do :; done
	[ ! -e '$work/handed' ] || set -- "\$(cat '$work/handed') \$line"
	;;
esac
out=\$('$O/nbdboot' parse-root "\$@") || exit
printf '%s\\n' "\$out"
[ "\$connect" ] || exit 0
[ ! -e '$work/away' ] || exit 1
eval "\$out"
printf '%s\\n' "connect \$root_uri" >>'$work/calls'
[ "\$root_device" ] || echo root_device=\$((\$(ls '$work/busy' | wc -l)))
END
chmod 755 "$work/bin/nbdboot"
PATH=$work/bin:$PATH

# same SENTENCE: $work/got is $work/want
same()
{
	if cmp -s "$work/want" "$work/got"; then
		ok "$1"
	else
		not_ok "$1"
		diff "$work/want" "$work/got" | sed 's/^/# /'
	fi
}

# Text of strangers that would make $work/evil if a shell read it: by itself, at
# the end of a quoted value, and after echo has made quotes of \0047.
evil="touch $work/evil"
strangers="'; $evil; '
\\0047;$evil;\\0047
\\047;$evil;\\047
\"; $evil; \"
\$($evil)
\`$evil\`
;$evil;
|$evil
\\"

# stranger N: the text on this line, and a newline before it if N is the last
stranger()
{
	[ "$1" != 10 ] || printf '\n%s\n' "$evil"
	printf '%s\n' "$strangers" | sed -n "$1p"
}

# untouched SENTENCE
untouched()
{
	if [ -e "$work/evil" ]; then
		not_ok "$1"
		rm "$work/evil"
	else
		ok "$1"
	fi
}

# ---- initramfs-tools ----

sed -e "s|/proc/cmdline|$work/cmdline|; s|/conf/param|$work/param|" \
	-e "s|/scripts/functions|$work/functions|; s|/run/|$work/run/|g" \
	-e "s|/etc/resolv|$work/resolv|; s|/sys/|$work/sys/|g" \
	"$boot/initramfs-tools/script" >"$work/script"
# panic ends the real caller.
cat >"$work/functions" <<END
wait_for_udev() { :; }
# ROOTPATH and ROOTSERVER are ours
configure_networking() {
	[ ! "\${IP-}" ] || echo "network \$IP \${BOOTIF-}" >>'$work/calls'
	IPV4DNS0=192.0.2.3 IPV4DNS1=0.0.0.0 DNSDOMAIN=site.example
}
mount() { mkdir -p "$work/run/initramfs"; }
cp() { : >"\$2"; }
log_begin_msg() { :; }
log_end_msg() { :; }
log_warning_msg() { printf '%s\\n' "warning: \$*" >>'$work/calls'; }
panic() { printf '%s\\n' "panic: \$*" >>'$work/calls'; exit 1; }
udevadm() { printf '%s\\n' "udevadm \$*" >>'$work/calls'; }
END

# tools_call: runs the script; its result is in $work/got
tools_call()
{
	sh "$work/script" >"$work/out" 2>&1 || :
	{
		cat "$work/calls" 2>/dev/null || :
		# the last value of each counts
		tac "$work/param.conf" 2>/dev/null | sort -u -t= -k1,1
	} >"$work/got"
}

# tools WORDS ROOTPATH CALLS-AND-VALUES...
tools()
{
	printf '%s\n' "$1 quiet" >"$work/cmdline"
	words=$1 ROOTPATH=$2
	export ROOTPATH
	shift 2
	rm -rf "$work/calls" "$work/param.conf" "$work/run/nbdboot" \
		"$work/run/initramfs"
	printf '%s\n' "$@" | grep . >"$work/want" || :
	ROOTSERVER=10.0.0.9 tools_call
	same "initramfs-tools: $words${ROOTPATH:+ ($ROOTPATH)}"
}

# the rules of udev for volumes look at a disk that is added
added='udevadm trigger --action=add --sysname-match='
watch="${added}nbd0
watch -b -m nbd0"
tools 'root=/dev/sda1' '' ''
tools 'root=UUID=1-2 ip=dhcp' 'nbd:h:x' ''
tools 'root=/dev/nbd0 nbdroot=10.0.2.2/root' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'"
tools 'nbdroot=10.0.2.2,root,nbd3' '' 'connect nbd://10.0.2.2/root' \
	"${added}nbd3" 'watch -b -m nbd3' "ROOT='/dev/nbd3'"
tools 'nbdroot=10.0.2.2,root' '' 'connect nbd://10.0.2.2/root' \
	"$watch" "ROOT='/dev/nbd0'"
tools 'nbdroot=10.0.2.2:2000/root' '' 'connect nbd://10.0.2.2:2000/root' \
	"$watch" "ROOT='/dev/nbd0'"
tools 'root=/dev/nbd0p2 nbdroot=[fec0::2]:2000/root' '' \
	'connect nbd://[fec0::2]:2000/root' "$watch" "ROOT='/dev/nbd0p2'"
tools 'root=/dev/nbd0 nbdroot=dhcp' '10.0.2.2,root,nbd0' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'"
tools 'root=/dev/nbd0 nbdroot=dhcp,root,nbd0' '' \
	'connect nbd://10.0.0.9/root' "$watch" "ROOT='/dev/nbd0'"
tools 'root=/dev/nbd0' 'nbd://10.0.2.2/root' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'"
tools 'root=/dev/nbd0 -- x' 'nbd://10.0.2.2/root' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'"
tools 'root=nbd:10.0.2.2:root:ext4:errors=panic' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'" \
	"ROOTFLAGS='-o errors=panic'" "ROOTFSTYPE='ext4'"
tools 'root=LABEL=x nbdroot=10.0.2.2/root ostree=/ostree/1' '' \
	'warning: nbdboot: ostree=: initramfs-tools starts no deployment; use dracut or "nbdboot init"' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='LABEL=x'"
for words in root=overlay:nbd=h:x 'root=nbd://h/x nbdboot.overlay'; do
	tools "$words" '' \
		'warning: nbdboot: initramfs-tools makes no overlay: the root is read-only' \
		'connect nbd://h/x' "$watch" "ROOT='/dev/nbd0'"
done
tools 'root=nbd://10.0.2.2/root nbdboot.part=LABEL=x' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='LABEL=x'"
tools 'root=LABEL=x nbdroot=10.0.2.2/root' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='LABEL=x'"
tools 'root=PARTLABEL=x nbdroot=10.0.2.2/root' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='PARTLABEL=x'"
tools 'root=/dev/mapper/vg-root nbdroot=10.0.2.2/root' '' \
	'connect nbd://10.0.2.2/root' "$watch"
tools 'root=/dev/ram0 nbdroot=10.0.2.2 nbdport=2000' '' \
	'connect nbd://10.0.2.2:2000/' "$watch" "ROOT='/dev/nbd0'"
tools 'nbd_host=10.0.2.2 nbd_name=root root=/dev/nbd0' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'"
tools 'root=nbd://10.0.2.2:x/' '' \
	'panic: The command line names no root that nbdboot understands'
only='is ignored: only letters, digits and _.:/,=+@%~- are allowed'
for flags in "a='b'" 'a=\0047;b;\0047' "a\"b\"" "a=\$(b)" "a;\`b\`"; do
	ignored="warning: nbdboot: ROOTFLAGS=-o $flags $only"
	tools "root=nbd:h:x::$flags" '' "$ignored" 'connect nbd://h/x' \
		"$ignored" "$watch" "ROOT='/dev/nbd0'"
done
tools "root=LABEL=a'b netroot=nbd:h:x" '' \
	"warning: nbdboot: ROOT=LABEL=a'b $only" 'connect nbd://h/x' \
	"warning: nbdboot: ROOT=LABEL=a'b $only" "$watch"

# Of two cards that of the firmware has the address, whose words have no device.
mkdir -p "$work/sys/class/net/eth0" "$work/sys/class/net/eth1" \
	"$work/sys/firmware/efi"
echo 52:54:00:12:34:55 >"$work/sys/class/net/eth0/address"
echo 52:54:00:12:34:56 >"$work/sys/class/net/eth1/address"
printf '%s' 'nbdroot=nbd://h/x ip=192.0.2.5:::255.255.255.0:::off ' \
	BOOTIF=01-52-54-00-12-34-56 >"$work/handed"
tools 'root=LABEL=x' '' \
	'network 192.0.2.5:::255.255.255.0::eth1:off 01-52-54-00-12-34-56' \
	'connect nbd://h/x' "$watch" "ROOT='LABEL=x'"
# words that say otherwise: initramfs-tools makes variables of them
IP=192.0.2.6:::255.255.255.0 BOOTIF=01-52-54-00-12-34-55
export IP BOOTIF
tools 'root=LABEL=x' '' "network $IP $BOOTIF" \
	'connect nbd://h/x' "$watch" "ROOT='LABEL=x'"
IP=$IP::
tools 'root=LABEL=x' '' "network ${IP}eth0 $BOOTIF" \
	'connect nbd://h/x' "$watch" "ROOT='LABEL=x'"
IP=::::guest:eth7:dhcp
tools 'root=LABEL=x' '' "network $IP $BOOTIF" \
	'connect nbd://h/x' "$watch" "ROOT='LABEL=x'"
BOOTIF=01-00-00-00-00-00-00 IP=::::guest::dhcp
tools 'root=LABEL=x' '' "network $IP $BOOTIF" \
	'connect nbd://h/x' "$watch" "ROOT='LABEL=x'"
unset IP BOOTIF
rm "$work/handed"

# unverified MAKER WORD: what it says
unverified()
{
	printf '%s' "$2= on the kernel command line: $1 verifies no root; use " \
		'dracut or, for roothash=, "nbdboot init"; or leave the word out'
}

# A root that is to be verified is not mounted unchecked.
for word in roothash rd.roothash usrhash rd.usrhash; do
	tools "root=LABEL=x nbdroot=h/x $word=12" '' \
		"panic: $(unverified initramfs-tools $word)"
done
for word in roothash '"roothash=12"' '"roothash"' 'roothash="1 2"'; do
	tools "root=LABEL=x nbdroot=h/x $word" '' \
		"panic: $(unverified initramfs-tools roothash)"
done
tools 'root=UUID=1-2 roothash=12' '' ''
tools 'root=nbd://h/x xroothash=12 roothashx * -- roothash=12' '' \
	'connect nbd://h/x' "$watch" "ROOT='/dev/nbd0'"

# A root-path, and the file of an earlier DHCP client, in each place of a form.
for shell in dash 'busybox sh' bash; do
	for n in 1 2 3 4 5 6 7 8 9 10; do
		text=$(stranger "$n")
		for ROOTPATH in "nbd:h:x::a$text" "nbd:h:x:$text" "nbd:h:$text" \
			"nbd://h/$text" "h,x,nbd0p1$text" "$text"; do
			rm -rf "$work/run/nbdboot" "$work/param.conf"
			echo 'root=/dev/nbd0 nbdroot=dhcp' >"$work/cmdline"
			printf '%s\n' "DEVICE='eth0'" "ROOTPATH='$ROOTPATH'" \
				>"$work/run/net-eth0.conf"
			ROOTPATH=$ROOTPATH $shell "$work/script" \
				>"$work/out" 2>&1 || :
			: >"$work/run/nbdboot/network"
			$shell "$work/script" >>"$work/out" 2>&1 || :
			[ ! -e "$work/param.conf" ] ||
				$shell "$work/param.conf" >>"$work/out" 2>&1 || :
		done
	done
	untouched "initramfs-tools: $shell runs nothing that DHCP said"
done
rm -f "$work/run/net-eth0.conf"

# What the second call reads is what DHCP said.
: >"$work/run/nbdboot/network"
printf '%s\n' "DEVICE='eth0'" "ROOTPATH='nbd:10.0.2.2:x'" \
	>"$work/run/net-eth0.conf"
rm -rf "$work/calls" "$work/param.conf" "$work/run/nbdboot/root" \
	"$work/run/initramfs"
printf '%s\n' 'connect nbd://10.0.2.2/x' "$watch" "ROOT='/dev/nbd0'" \
	>"$work/want"
ROOTPATH='' tools_call
same 'initramfs-tools: a later call knows the root-path'
rm "$work/run/net-eth0.conf"

# The server is away at first: local-block is called until it is back.
: >"$work/away"
tools 'root=nbd://10.0.2.2/root' '' "ROOT='/dev/nbd0'"
rm "$work/away"
printf '%s\n' 'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'" \
	>"$work/want"
tools_call
same 'initramfs-tools: a server that is away is tried again'
tools_call
same 'initramfs-tools: and connected once'

if [ -e "$work/run/initramfs/shutdown" ] &&
	[ -d "$work/run/initramfs/oldroot" ]; then
	ok 'initramfs-tools: it leaves what systemd-shutdown(8) executes'
else
	not_ok 'initramfs-tools: it leaves what systemd-shutdown(8) executes'
fi

# named MAKER: so it finds servers by their names, short ones too
named()
{
	printf '%s\n' 'nameserver 192.0.2.3' 'search site.example' >"$work/want"
	cp "$work/resolv.conf" "$work/got" || :
	rm -f "$work/resolv.conf"
	same "$1: the name servers of the network are used"
}

named initramfs-tools

# ---- dracut ----

mkdir -p "$work/hooks/initqueue/finished"
cat >"$work/lib.sh" <<END
hookdir='$work/hooks'
getcmdline() { cat '$work/cmdline'; }
getarg()
{
	tr ' ' '\\n' <'$work/cmdline' | sed -n "s/^\$1//p" | grep . ||
		tr ' ' '\\n' <'$work/cmdline' | grep -qx "\$1"
}
getargbool() { tr ' ' '\\n' <'$work/cmdline' | grep -qx "\$2"; }
label_uuid_to_dev() {
	case \$1 in
	/*) echo "\$1" ;;
	*) echo "/dev/disk/by-label/\${1#*=}" ;;
	esac
}
dev_unit_name() { echo "\$1" | sed 's|^/||; s|-|\\\\x2d|g; s|/|-|g'; }
die() { echo "die: \$*"; exit 1; }
END

# dracut_says NEW_ROOT_PATH: prints what parse-nbdboot.sh sets
dracut_says()
(
	rm -f "$work/hooks/initqueue/finished/nbdboot.sh"
	. "$work/lib.sh"
	root=$(getarg root= || :) netroot='' rootok='' fstype=auto
	rflags=rw new_root_path=$1
	# shellcheck source=boot/dracut/95nbdboot/parse-nbdboot.sh
	. "$boot/dracut/95nbdboot/parse-nbdboot.sh"
	waits=''
	[ ! -e "$hookdir/initqueue/finished/nbdboot.sh" ] || waits=waits
	echo "$root $netroot ${rootok:--} $fstype $rflags $waits"
)

# dracut WORDS NEW_ROOT_PATH RESULT
dracut()
{
	echo "$1 quiet" >"$work/cmdline"
	echo "$3" >"$work/want"
	dracut_says "$2" >"$work/got" 2>&1 || :
	same "dracut: $1${2:+ ($2)}"
}

# What the firmware has left makes words of dracut, unless there are others.
sed -e "s|/sys/|$work/sys/|g; s|/etc/cmdline.d|$work|" \
	"$boot/dracut/95nbdboot/parse-nbdboot.sh" >"$work/parse-handed"
handed()
{
	echo "$1" >"$work/cmdline"
	echo "$2" >"$work/want"
	(
		. "$work/lib.sh"
		root=LABEL=x netroot='' rootok='' fstype=auto rflags=rw
		new_root_path=''
		. "$work/parse-handed"
	)
	cp "$work/95nbdboot-firmware.conf" "$work/got"
	same "dracut: what the firmware has left, and $1"
}
printf '%s' 'nbdroot=nbd://h/x ip=192.0.2.5:::255.255.255.0:::off ' \
	BOOTIF=01-52-54-00-12-34-56 >"$work/handed"
handed quiet "rd.neednet=1 ip=192.0.2.5:::255.255.255.0:::off\
 BOOTIF=01-52-54-00-12-34-56"
handed BOOTIF=01-52-54-00-12-34-55 \
	'rd.neednet=1 ip=192.0.2.5:::255.255.255.0:::off'
rm "$work/handed"

dracut 'root=/dev/sda1' '' '/dev/sda1  - auto rw '
dracut 'root=nbd:10.0.2.2:x' '' 'block:/dev/nbd0 nbdboot 1 auto rw waits'
dracut 'root=nbd:10.0.2.2:x:ext4:errors=panic' '' \
	'block:/dev/nbd0 nbdboot 1 ext4 errors=panic,rw waits'
dracut 'root=nbd://10.0.2.2/x nbdboot.part=2' '' \
	'block:/dev/nbd0p2 nbdboot 1 auto rw waits'
dracut 'root=nbd://10.0.2.2/x nbdboot.part=LABEL=l' '' \
	'block:/dev/disk/by-label/l nbdboot 1 auto rw waits'
dracut 'root=LABEL=l netroot=nbd:10.0.2.2:x' '' \
	'LABEL=l nbdboot 1 auto rw waits'
dracut 'root=/dev/mapper/vg-root netroot=nbd:10.0.2.2:x' '' \
	'/dev/mapper/vg-root nbdboot 1 auto rw waits'
dracut 'root=/dev/ram0 netroot=nbd:10.0.2.2:x' '' \
	'block:/dev/nbd0 nbdboot 1 auto rw waits'
dracut 'root=/dev/nbd0p1 nbdroot=10.0.2.2/x' '' \
	'/dev/nbd0p1 nbdboot 1 auto rw waits'
dracut 'root=/dev/root netroot=dhcp' '' '/dev/root  - auto rw '
dracut 'root=/dev/root netroot=dhcp' 'nbd:10.0.2.2:x:ext4' \
	'/dev/root nbdboot 1 auto rw waits'
# those of other modules
for path in iscsi:10.0.2.2::::x 192.0.2.1:/srv/nfs '[2001:db8::1]:/srv/nfs' \
	/srv/nfs cifs://u:p@srv/x https://srv/x srv nbdboot:x; do
	dracut 'root=/dev/root netroot=dhcp' "$path" '/dev/root  - auto rw '
done

# The word in an image for this machine: that of its root, which is a partition
# of nbd1, above device-mapper, or below an overlay.  nbd0 is something else.
mkdir -p "$work/sys/43:0" "$work/sys/43:32"
echo 'nbd://h/home' >"$work/sys/43:0/backend"
echo 'nbd://h/root,nbd://i/root connections=2' >"$work/sys/43:32/backend"
sed "s|/sys/dev/block|$work/sys|g" "$boot/dracut/95nbdboot/module-setup.sh" \
	>"$work/setup"
cat >"$work/baked" <<'END'
. "$1"
find_block_device() { [[ $1 == "$mount_point" ]] && echo 254:0; }
check_block_and_slaves() { "$1" 254:0 || "$1" 43:33 || "$1" "$below"; }
cmdline
END
for case in '/ 43:32' '/run/nbdboot/lower 43:32' '/ 8:0' '/home 43:0'; do
	case $case in
	*lower* | '/ 43'*) echo ' netroot=nbd://h/root,nbd://i/root' ;;
	*) echo ;;
	esac >"$work/want"
	{ mount_point=${case% *} below=${case#* } bash "$work/baked" \
		"$work/setup" && echo; } >"$work/got" 2>&1
	same "dracut bakes in the server of the root alone: $case"
done

# netroot SHELL VALUE: the script that connects, with VALUE for new_root_path in
# the file that dracut left; it prints what it connected, and the mount.
sed -e '/^PATH=/d' -e "s|/tmp/dhclient|$work/dhclient|g; s|/run/|$work/run/|g" \
	-e "s|/etc/udev/rules.d|$work|; s|/sbin/init|$work/bin/init|" \
	"$boot/dracut/95nbdboot/nbdbootroot.sh" >"$work/nbdbootroot"
cat >"$work/netroot" <<END
. '$work/lib.sh'
udevadm() { :; }
systemctl() { :; }
mount() { :; }
need_shutdown() { :; }
warn() { echo "warn: \$*"; }
DRACUT_SYSTEMD=1
set -- eth0 "nbdboot:\$2" /sysroot
. '$work/nbdbootroot'
END
printf '%s\n' '#!/bin/sh' "printf '%s\\n' \"\$*\" >'$work/again'" \
	>"$work/bin/initqueue"
chmod 755 "$work/bin/initqueue"
netroot()
{
	echo "${3-root=/dev/root netroot=dhcp quiet}" >"$work/cmdline"
	rm -rf "$work/run/nbdboot" "$work/run/systemd" "$work/calls" \
		"$work/again" "$work/99-nbdboot-root.rules"
	printf '%s\n' "new_next_server='192.0.2.9'" "new_root_path=$2" \
		"new_filename=$2" >"$work/dhclient.eth0.dhcpopts"
	$1 "$work/netroot" "$work" "$2" >"$work/out" 2>&1 || :
	cat "$work/calls" "$work/run/systemd/system/sysroot.mount.d/"* \
		>"$work/got" 2>/dev/null || :
}

# each way in which dracut's shells quote it
for value in nbd:h:x:ext4:a=b,c "'nbd:h:x:ext4:a=b,c'" \
	'nbd:h:x:ext4:a=b\,c'; do
	netroot sh "$value"
	printf '%s\n' 'connect nbd://h/x' 'watch -b nbd0' '[Mount]' \
		What=/dev/root Type=ext4 Options=a=b,c >"$work/want"
	same "dracut connects what DHCP said: $value"
done
# The parser and the generator have named a device: it is that one, or none.
: >"$work/busy/0"
for words in 'root=LABEL=l nbdroot=h,x nbd0' 'root=LABEL=l nbdroot=h,x -- nbd0' \
	'root=LABEL=l nbdroot=h,x,nbd3 nbd3' \
	'root=/dev/nbd2p1 nbdroot=h,x,nbd3 nbd2' \
	'root=LABEL=l nbdroot=h,x,nbd3 nbddev=nbd4 nbd4'; do
	netroot sh '' "$words"
	printf '%s\n' 'connect nbd://h/x' "watch -b ${words##* }" >"$work/want"
	same "dracut connects the device that it waits for: $words"
done
rm "$work/busy/0"
netroot sh '' 'root=LABEL=l nbdroot=h,x nbdboot.overlay'
check 'dracut says that there is no overlay' grep -q 'no overlay' "$work/out"
for shell in dash 'busybox sh' bash; do
	for n in 1 2 3 4 5 6 7 8 9 10; do
		text=$(stranger "$n")
		for value in "nbd:h:x::a$text" "nbd:h:x:$text" "nbd://h/$text" \
			"'nbd:h:x::a$text'" "'$text'" "\$'$text'" "$text"; do
			netroot "$shell" "$value"
			for f in "$work/again" "$work/99-nbdboot-root.rules" \
				"$work/run/systemd/system/sysroot.mount.d/"*; do
				[ ! -e "$f" ] || $shell "$f" \
					>>"$work/out" 2>&1 || :
			done
			dracut_says "$value" >>"$work/out" 2>&1
		done
	done
	untouched "dracut: $shell runs nothing that DHCP said"
done

# Where dracut itself does not look for what DHCP said to networkd: a file of
# systemd, or what networkctl prints since systemd 261.
mkdir -p "$work/run/systemd/netif/leases" "$work/sys/net/eth0"
echo 2 >"$work/sys/net/eth0/ifindex"
lease=$work/run/systemd/netif/leases/2
sed -e "s|/tmp/dhclient|$work/dhclient|g; s|/run/systemd|$work/run/systemd|" \
	-e "s|/sys/class|$work/sys|" \
	"$boot/dracut/95nbdboot/networkd-lease.sh" >"$work/networkd-lease"
cat >"$work/bin/networkctl" <<END
#!/bin/sh
[ "\$*" = '--no-pager --no-legend --full dhcp-lease eth0' ] || exit 1
printf '%s\n' 'Header:' '     Transaction ID: 0x5ad1fe0c' \
	'     Server Address: 192.0.2.9' '' Options: \
	'    1 subnet mask            255.255.255.0'
printf '   17 root path              %s\n' "\$(cat '$work/said')"
echo '   51 lease time             1h'
END
chmod 755 "$work/bin/networkctl"

# lease_of SHELL VALUE [FILE]: with VALUE in the lease, which is a file of systemd
lease_of()
{
	rm -f "$work/dhclient.eth0.dhcpopts" "$lease"
	printf '%s\n' "$2" >"$work/said"
	[ $# = 2 ] || printf '%s\n' ADDRESS=192.0.2.50 NEXT_SERVER=192.0.2.9 \
		"ROOT_PATH=$2" >"$lease"
	echo ". '$work/networkd-lease'" >"$work/online"
	$1 "$work/online" eth0 >"$work/out" 2>&1 || :
	cp "$work/dhclient.eth0.dhcpopts" "$work/got"
}

printf '%s\n' "new_next_server='192.0.2.9'" "new_root_path='nbd:h:x:ext4:a=b,c'" \
	>"$work/want"
lease_of sh nbd:h:x:ext4:a=b,c file
same 'dracut: what DHCP said is found in a lease of networkd'
lease_of sh nbd:h:x:ext4:a=b,c
same 'dracut: and in what networkctl prints'
echo "new_root_path='theirs'" >"$work/dhclient.eth0.dhcpopts"
cp "$work/dhclient.eth0.dhcpopts" "$work/want"
sh "$work/online" eth0
cp "$work/dhclient.eth0.dhcpopts" "$work/got"
same 'dracut: what dracut has written stays'
for shell in dash 'busybox sh' bash; do
	for n in 1 2 3 4 5 6 7 8 9 10; do
		for file in '' file; do
			lease_of "$shell" "nbd:h:x$(stranger "$n")" $file
			# netroot reads it in the same way
			$shell "$work/got" >>"$work/out" 2>&1 || :
		done
	done
	untouched "dracut: $shell runs nothing that is in a lease of networkd"
done

# What nbdboot says about a wrong word is what dracut says.
echo 'root=nbd://h:x/ quiet' >"$work/cmdline"
(
	. "$work/lib.sh"
	root='' netroot='' new_root_path=''
	# shellcheck source=boot/dracut/95nbdboot/parse-nbdboot.sh
	. "$boot/dracut/95nbdboot/parse-nbdboot.sh"
) >"$work/got" 2>&1 || :
if grep -q '^die: .*a port that is not 1 to 65535' "$work/got"; then
	ok 'dracut: a wrong URI ends the boot with its reason'
else
	not_ok 'dracut: a wrong URI ends the boot with its reason'
	show "$work/got"
fi

sed "s|/sys/|$work/sys/|" "$boot/dracut/95nbdboot/generator.sh" \
	>"$work/generator"
# generator WORDS LINES...: the mount that the generator makes
generator()
{
	echo "$1 quiet" >"$work/cmdline"
	words=$1
	shift
	printf '%s\n' "$@" | grep . >"$work/want" || :
	rm -rf "$work/gen"
	mkdir "$work/gen"
	(
		. "$work/lib.sh"
		set -- "$work/none" "$work/gen"
		. "$work/generator"
	) >"$work/out" 2>&1 || :
	grep '^\(What\|Type\|Options\)' "$work/gen/sysroot.mount" \
		>"$work/got" 2>/dev/null || :
	same "dracut's generator: $words"
}

generator 'root=/dev/sda1' ''
generator 'root=LABEL=l netroot=nbd:h:x' ''
generator 'root=nbd:h:x:ext4:errors=panic rw' \
	What=/dev/nbd0 Type=ext4 Options=rw,errors=panic
# of two contradicting options the last one wins, which is the user's own
generator 'root=nbd:h:x::rw,noatime' What=/dev/nbd0 Options=ro,rw,noatime
generator 'root=/dev/mapper/vg-root netroot=nbd:h:x' ''
generator 'nbdroot=h:x rw' What=/dev/nbd0 Options=rw
generator 'nbdroot=h,x,nbd1 nbdboot.part=2' What=/dev/nbd1p2 Options=ro
generator 'nbdroot=:x' What=/dev/nbd0 Options=ro
generator 'nbddev=nbd1' ''
generator 'root=nbd://h/x nbdboot.part=3' What=/dev/nbd0p3 Options=ro

# lasts UNIT: systemd waits for a device without a limit
lasts()
{
	grep -qx 'JobRunningTimeoutSec=0' "$work/gen/$1.device.d/timeout.conf"
}

check "dracut's generator: systemd waits for the device" lasts dev-nbd0p3
generator 'root=nbd://h/x rd.timeout=' What=/dev/nbd0 Options=ro
check "dracut's generator: also if rd.timeout= has no value" lasts dev-nbd0
luks='root=/dev/mapper/r rd.luks.name=1a2b-3c=r rd.luks.uuid=luks-4d'
generator "$luks rd.luks.uuid=../x netroot=nbd:h:x" ''
check "dracut's generator: and for what LUKS opens" \
	lasts 'dev-disk-by\x2duuid-1a2b\x2d3c'
check "dracut's generator: by each of its words" \
	lasts 'dev-disk-by\x2duuid-4d'
check "dracut's generator: a name that is no UUID makes no file" \
	[ "$(find "$work/gen" -name '*.conf' | wc -l)" = 2 ]
hash=00112233445566778899AABBCCDDEEFF00000000000000000123456789abcdef
data=dev-disk-by\\x2dpartuuid-00112233\\x2d4455\\x2d6677\\x2d8899\\x2daabbccddeeff
tree=dev-disk-by\\x2dpartuuid-00000000\\x2d0000\\x2d0000\\x2d0123\\x2d456789abcdef
generator "root=/dev/mapper/root roothash=$hash netroot=nbd:h:x" ''
check "dracut's generator: and for the data of a verified root" lasts "$data"
check "dracut's generator: and for its hash tree" lasts "$tree"
generator "root=tmpfs usrhash=$hash netroot=nbd:h:x" ''
# shellcheck disable=SC2016 # for eval
check "dracut's generator: and for both of a verified /usr" eval \
	'lasts "$data" && lasts "$tree"'
generator "root=/dev/mapper/root roothash=../$hash netroot=nbd:h:x" ''
check "dracut's generator: a hash that is none makes no file" \
	[ -z "$(find "$work/gen" -name '*.conf')" ]
generator "root=/dev/mapper/root netroot=nbd:h:x systemd.verity_root_data=/dev/nbd0 \
systemd.verity_root_hash=PARTLABEL=tree" ''
check "dracut's generator: and for both by their words" eval \
	"lasts dev-nbd0 && lasts 'dev-disk-by\\x2dlabel-tree'"
generator "$luks" ''
check "dracut's generator: LUKS without a server is not ours" \
	[ -z "$(find "$work/gen" -name '*.conf')" ]
echo nbdroot=nbd://h/x >"$work/handed"
generator "$luks" ''
check "dracut's generator: unless the firmware has left the server" \
	lasts 'dev-disk-by\x2duuid-4d'
generator rw What=/dev/nbd0 Options=rw
rm "$work/handed"

# keeps UNIT FILES...: the files for the shutdown, if the root has that unit
keeps()
{
	rm -rf "$work/down"
	mkdir -p "$work/down/run/nbdboot" "$work/down/root/usr/lib/systemd/system"
	: >"$work/down/run/nbdboot/root"
	# a link of Debian's, out of the root as it lies here
	ln -s "/usr/lib/dracut/$1" "$work/down/root/usr/lib/systemd/system/$1"
	sentence="dracut keeps the program for a root with $1"
	shift
	printf '%s\n' run/nbdboot/root "$@" | sort >"$work/want"
	sed "s|/run/|$work/down/run/|g" "$boot/dracut/95nbdboot/keep.sh" \
		>"$work/keep"
	(
		. "$work/lib.sh"
		export NEWROOT="$work/down/root"
		. "$work/keep"
	) >"$work/out" 2>&1 || :
	(cd "$work/down" && find run -type f | sort) >"$work/got"
	same "$sentence"
}

keeps none.service run/initramfs/shutdown
keeps dracut-shutdown.service run/nbdboot/down/shutdown \
	run/systemd/system/dracut-shutdown.service.d/nbdboot-down.conf

# ---- keys, and links to what is not in an image ----

mkdir -p "$work/etc/nbdboot" "$work/ssl" "$work/image"
echo CA >"$work/ssl/ca.pem"
ln -s "$work/ssl/ca.pem" "$work/etc/nbdboot/ca-cert.pem"
(umask 077 && echo key >"$work/etc/nbdboot/client-key.pem")
mkdir "$work/etc/nbdboot/site b"
echo b:0123 >"$work/etc/nbdboot/site b/keys.psk"
echo 'copy_exec() { :; }; manual_add_modules() { :; }; auto_add_modules() { :; }' \
	>"$work/functions"
sed -e "s|/etc/nbdboot|$work/etc/nbdboot|g" \
	-e "s|/usr/share/initramfs-tools/hook-functions|$work/functions|" \
	"$boot/initramfs-tools/hook" >"$work/hook"
DESTDIR=$work/image sh -e "$work/hook" >"$work/out" 2>&1 || :
find "$work/image" -name '*.pem' -printf '%y %m %f\n' | sort >"$work/got"
printf '%s\n' 'f 600 client-key.pem' 'f 644 ca-cert.pem' >"$work/want"
same 'initramfs-tools: a link is copied as the file, and a key stays private'
check 'initramfs-tools: and what is in a directory' \
	[ -s "$work/image/etc/nbdboot/site b/keys.psk" ]

# The shell of the initramfs has cp with busybox only, and the script copies the
# program for the shutdown.
# shellcheck disable=SC2016 # expanded by the inner shell
echo 'copy_exec() { echo "$1"; }' >>"$work/functions"
for with in '' 'BUSYBOXDIR=/bin BUSYBOX=n' 'BUSYBOXDIR=/bin BUSYBOX=y'; do
	echo /usr/sbin/nbdboot >"$work/want"
	[ "${with%y}" != "$with" ] || command -v cp >>"$work/want"
	# shellcheck disable=SC2086 # words on purpose
	env $with DESTDIR="$work/image" sh -e "$work/hook" >"$work/got"
	same "initramfs-tools: the image has a cp: ${with:-no busybox}"
done

# what the module of dracut gives to dracut-install, from the directory $3
cat >"$work/api" <<'END'
for name in inst_hook inst_script dracut_module_included dracut_need_initqueue; do
	eval "$name() { false; }"
done
inst_multiple() { printf '%s\n' "$@"; }
. "$1"
moddir=$2 initdir=$2 dracutsysrootdir=$3
install
END
bash -u "$work/api" "$boot/dracut/95nbdboot/module-setup.sh" "$work/image" \
	"$work" 2>&1 | grep -vx 'nbdboot\|cat\|cp\|mkdir' | sort >"$work/got"
for name in -H "$work/etc/nbdboot/ca-cert.pem" \
	"$work/etc/nbdboot/client-key.pem" "$work/etc/nbdboot/site b/keys.psk"; do
	echo "$name"
done | sort >"$work/want"
same 'dracut: all files of /etc/nbdboot are copied'
mkdir -p "$work/none/etc/nbdboot"
for root in "$work/none" "$work/image/etc"; do
	bash -u "$work/api" "$boot/dracut/95nbdboot/module-setup.sh" \
		"$work/image" "$root" >"$work/got" 2>&1 || :
	printf '%s\n' nbdboot cat cp mkdir >"$work/want"
	same 'dracut: and none if there is none'
done

# ---- mkinitcpio: a stub of its API ----

cat >"$work/api" <<'END'
for name in add_module add_binary add_full_dir add_runscript; do
	eval "$name() { echo $name \"\$@\"; }"
done
. "$1"
build
[[ $(help) == *nbdboot-cmdline* ]] && echo help
END
bash "$work/api" "$boot/mkinitcpio/install" >"$work/got" 2>&1 || :
printf '%s\n' 'add_module nbd' 'add_module tcp_diag' 'add_module unix_diag' \
	'add_module tls' 'add_binary /usr/sbin/nbdboot /usr/bin/nbdboot' \
	add_runscript help >"$work/want"
same 'mkinitcpio (stub): what its image contains'

sed "s|/etc/nbdboot|$work/etc/nbdboot|g" "$boot/mkinitcpio/install" \
	>"$work/install"
cat >"$work/api" <<'END'
for name in add_module add_binary add_runscript; do
	eval "$name() { :; }"
done
add_file() { printf '%s %s\n' "$1" "$3"; }
. "$1"
build
END
bash "$work/api" "$work/install" 2>&1 | sort >"$work/got"
printf '%s\n' "$work/etc/nbdboot/client-key.pem 600" "$work/ssl/ca.pem 644" \
	"$work/etc/nbdboot/site b/keys.psk 644" |
	sort >"$work/want"
same 'mkinitcpio (stub): a link is copied as the file, and a key stays private'

# arch WORDS RESULT: the root that the hook sets, and how often it called for the
# device, by a stub of init
arch()
{
	echo "$1 quiet" >"$work/cmdline"
	echo "$2" >"$work/want"
	rm -f "$work/calls"
	sed -e "s|/proc/cmdline|$work/cmdline|; s|/tmp/net|$work/net|" \
		-e "s|/etc/resolv|$work/resolv|; s|/run/net|$work/ifup|g" \
		-e "s|/run/nbdboot|$work/up|" \
		"$boot/mkinitcpio/hook" >"$work/hook"
	# shellcheck disable=SC2317 # the hook calls them
	(
		modprobe() { :; }
		msg() { :; }
		err() { printf '%s\n' "err: $*"; }
		launch_interactive_shell() { exit; }
		udevadm() { echo "$*" >>"$work/calls"; }
		root=unset rootfstype='' rootflags=''
		# shellcheck source=boot/mkinitcpio/hook
		. "$work/hook"
		run_hook
		echo "$root $rootfstype $rootflags $(grep -cx \
			-e 'watch -b -m nbd0' \
			-e 'trigger --action=add --sysname-match=nbd0' \
			"$work/calls" 2>/dev/null)"
	) >"$work/got" 2>&1 || :
	same "mkinitcpio (stub): $1"
}

arch 'root=/dev/sda1' 'unset   '
printf '%s\n' IPV4DNS0=192.0.2.3 IPV4DNS1=0.0.0.0 DNSDOMAIN=site.example \
	>"$work/net-eth0.conf"
arch 'root=nbd://h/x' '/dev/nbd0   2'
arch 'root=/dev/mapper/vg-root nbdroot=h/x' 'unset   2'
named 'mkinitcpio (stub)'
for word in roothash rd.roothash usrhash rd.usrhash; do
	arch "root=LABEL=x nbdroot=h/x $word=12" \
		"err: $(unverified mkinitcpio $word)"
done
arch 'root=LABEL=x nbdroot=h/x "roothash"' \
	"err: $(unverified mkinitcpio roothash)"
arch 'root=/dev/sda1 roothash=12' 'unset   '
arch 'root=nbd://h/x xroothash=12 roothashx * -- roothash=12' '/dev/nbd0   2'
# a server that is away at first, for ten tries
cat >"$work/init" <<END
modprobe() { :; }
msg() { :; }
err() { :; }
udevadm() { :; }
sleep()
{
	echo "\$1" >>'$work/slept'
	[ "\$(wc -l <'$work/slept')" -lt 10 ] || rm -f '$work/away'
}
. '$work/hook'
run_hook
sort '$work/slept' | uniq | grep -c '^[456]\$'
grep -vc '^[456]\$' '$work/slept'
END
: >"$work/away"
busybox sh "$work/init" >"$work/out" 2>&1 || :
if [ "$(sed -n 1p "$work/out")" -gt 1 ] && [ "$(sed -n 2p "$work/out")" = 0 ]; then
	ok 'mkinitcpio (stub): a server that is away is tried again, not in step'
else
	not_ok 'mkinitcpio (stub): a server that is away is tried again, not in step'
	show "$work/out"
fi
# what DHCP says counts only then
echo 'nbdroot=dhcp quiet' >"$work/cmdline"
for shell in dash 'busybox sh' bash; do
	cat >"$work/init" <<END
modprobe() { :; }
msg() { exit 1; }
err() { :; }
. '$work/hook'
run_hook
END
	for n in 1 2 3 4 5 6 7 8 9 10; do
		text=$(stranger "$n")
		for value in "nbd:h:x::a$text" "nbd://h/$text" "$text"; do
			printf '%s\n' "ROOTPATH='$value'" "IPV4DNS0=$value" \
				"DNSDOMAIN=$value" "$value" >"$work/net-eth0.conf"
			$shell "$work/init" >"$work/out" 2>&1 || :
		done
	done
	untouched "mkinitcpio (stub): $shell runs nothing that DHCP said"
done
printf '%s\n' "ROOTPATH='nbd:h:y'" IPV4DNS0=192.0.2.3 >"$work/net-eth0.conf"
arch 'nbdroot=dhcp' '/dev/nbd0   2'
arch 'root=overlay:nbd=h:x' "err: nbdboot: its hook makes no overlay: the root \
is read-only
/dev/nbd0   2"
arch 'nbd_host=h nbd_name=x root=/dev/nbd0' '/dev/nbd0   2'
arch 'nbd_host=h nbd_name=x nbd_port=2000 root=/dev/nbd0p2' '/dev/nbd0p2   2'
arch 'root=nbd:h:x:ext4:errors=panic' '/dev/nbd0 ext4 errors=panic 2'
# an interface behind the one that DHCP answered
echo "ROOTPATH=''" >"$work/net-eth1.conf"
arch 'nbdroot=dhcp root=LABEL=y' 'LABEL=y   2'
echo 'connect nbd://h/y' >"$work/want"
grep ^connect "$work/calls" >"$work/got"
same 'mkinitcpio (stub): the root-path of one of two interfaces counts'
# what no other try can change: a word, and DHCP, which is not asked again
arch 'root=nbd://h:x/' "nbdboot: parse-root: root=nbd://h:x/: a port that is \
not 1 to 65535 (at character 9)
err: nbdboot: neither the kernel command line nor DHCP names a server"
rm "$work"/net-eth?.conf
arch 'nbdroot=dhcp' \
	'err: nbdboot: neither the kernel command line nor DHCP names a server'
# without the hook net the program brings the network up itself
rm -f "$work/resolv.conf"
mkdir "$work/up"
: >"$work/up/resolv.conf"
printf '%s\n' "ROOTPATH='nbd:h:y'" IPV4DNS0=192.0.2.9 >"$work/ifup-eth0.conf"
arch 'nbdroot=dhcp * -- ip=x' '/dev/nbd0   2'
grep ^ifup "$work/calls" >"$work/got"
echo 'ifup -- nbdroot=dhcp * -- ip=x quiet' >"$work/want"
same 'mkinitcpio (stub): the network has the words of the command line'
echo 'connect nbd://h/y' >"$work/want"
grep ^connect "$work/calls" >"$work/got"
same 'mkinitcpio (stub): and its root-path counts'
check 'mkinitcpio (stub): and its name servers' \
	[ "$(readlink "$work/resolv.conf")" = "$work/up/resolv.conf" ]
rm "$work/ifup-eth0.conf"
# ---- completion ----

for shell in bash zsh fish; do
	sh "$boot/completion/make.sh" "$O/nbdboot" "$shell" >"$work/$shell"
	missing=''
	for command in $("$O/nbdboot" help | sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p'); do
		grep -q -e "[ '(]${command}[ ':)]" -e "^$command)" "$work/$shell" ||
			missing="$missing $command"
		for option in $("$O/nbdboot" help "$command" | sed -n \
			's/^-.*--\([a-z-]*\).*/\1/p'); do
			case $shell in
			fish) pattern="from $command'.* -l $option " ;;
			bash) pattern="^.*$command) words=.*--$option " ;;
			*) pattern="'--$option\\[" ;;
			esac
			grep -q -e "$pattern" "$work/$shell" ||
				missing="$missing $command:$option"
		done
	done
	grep -q -e '--help\|-l help' "$work/$shell" || missing="$missing --help"
	if [ ! "$missing" ]; then
		ok "completion for $shell has all commands and options"
	else
		not_ok "completion for $shell has all commands and options"
		echo "#$missing"
	fi
done
cat >"$work/try" <<'END'
. "$1"
COMP_WORDS=(nbdboot connect --bl) COMP_CWORD=2
_nbdboot
echo "${COMPREPLY[*]}"
COMP_WORDS=(nbdboot disc) COMP_CWORD=1
_nbdboot
echo "${COMPREPLY[*]}"
END
run bash "$work/try" "$work/bash"
printf '%s\n' --block-size disconnect >"$work/want"
cp "$work/out" "$work/got"
same 'bash completes an option and a command'
# readline does it, with quotes: a list of names would be split at each blank
: >"$work/disk 1.img"
cat >"$work/try" <<'END'
. "$1"
cd "$2"
compopt() { echo "$*"; }
COMP_WORDS=(nbdboot copy dis) COMP_CWORD=2
_nbdboot
echo "${COMPREPLY[*]}"
# no pattern in place of a device that is not there
compgen() { [[ $1 != -G ]] && builtin compgen "$@"; }
COMP_WORDS=(nbdboot disconnect '') COMP_CWORD=2
_nbdboot
echo "${COMPREPLY[*]}"
END
run bash "$work/try" "$work/bash" "$work"
printf '%s\n' '-o default' '' '' >"$work/want"
cp "$work/out" "$work/got"
same 'bash itself completes the names of files'

finish
