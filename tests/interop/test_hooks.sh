#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The scripts for other makers of an initramfs, each with a stub of what calls
# it: what each form of the command line leads to.  And the completion of shells.
# shellcheck disable=SC1090,SC1091,SC2030 # files of this script, subshells
O=${1:-build}
. "${0%/*}/../tap.sh"
boot=${0%/*}/../../boot

mkdir -p "$work/bin" "$work/run"
# nbdboot itself, but it connects nothing, and watches nothing.
cat >"$work/bin/nbdboot" <<END
#!/bin/sh
case \$1 in
watch | ifup) echo "\$*" >>'$work/calls'; exit ;;
esac
connect=''
shift
[ "\$1" != -c ] || { connect=1; shift; }
out=\$('$O/nbdboot' parse-root "\$@") || exit
echo "\$out"
[ "\$connect" ] || exit 0
[ ! -e '$work/away' ] || exit 1
eval "\$out"
echo "connect \$root_uri" >>'$work/calls'
echo "root_device=\${root_device:-0}"
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

# ---- initramfs-tools ----

sed -e "s|/proc/cmdline|$work/cmdline|; s|/conf/param|$work/param|" \
	-e "s|/scripts/functions|$work/functions|; s|/run/|$work/run/|g" \
	-e "s|/etc/resolv|$work/resolv|" \
	"$boot/initramfs-tools/script" >"$work/script"
# panic ends the real caller.
cat >"$work/functions" <<END
wait_for_udev() { :; }
# ROOTPATH and ROOTSERVER are ours
configure_networking() { IPV4DNS0=192.0.2.3 IPV4DNS1=0.0.0.0; }
mount() { mkdir -p "$work/run/initramfs"; }
cp() { : >"\$2"; }
log_begin_msg() { :; }
log_end_msg() { :; }
log_warning_msg() { echo "warning: \$*" >>'$work/calls'; }
panic() { echo "panic: \$*" >>'$work/calls'; exit 1; }
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
	echo "$1 quiet" >"$work/cmdline"
	words=$1 ROOTPATH=$2
	export ROOTPATH
	shift 2
	rm -rf "$work/calls" "$work/param.conf" "$work/run/nbdboot" \
		"$work/run/initramfs"
	printf '%s\n' "$@" | grep . >"$work/want" || :
	ROOTSERVER=10.0.0.9 tools_call
	same "initramfs-tools: $words${ROOTPATH:+ ($ROOTPATH)}"
}

watch='watch -b -m nbd0'
tools 'root=/dev/sda1' '' ''
tools 'root=UUID=1-2 ip=dhcp' 'nbd:h:x' ''
tools 'root=/dev/nbd0 nbdroot=10.0.2.2/root' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'"
tools 'nbdroot=10.0.2.2,root,nbd3' '' 'connect nbd://10.0.2.2/root' \
	'watch -b -m nbd3' "ROOT='/dev/nbd3'"
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
tools 'root=nbd:10.0.2.2:root:ext4:errors=panic' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'" \
	"ROOTFLAGS='-o errors=panic'" "ROOTFSTYPE='ext4'"
tools 'root=nbd://10.0.2.2/root nbdboot.part=LABEL=x' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='LABEL=x'"
tools 'root=LABEL=x nbdroot=10.0.2.2/root' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='LABEL=x'"
tools 'nbd_host=10.0.2.2 nbd_name=root root=/dev/nbd0' '' \
	'connect nbd://10.0.2.2/root' "$watch" "ROOT='/dev/nbd0'"
tools 'root=nbd://10.0.2.2:x/' '' \
	'panic: The command line names no root that nbdboot understands'
quote="warning: nbdboot: ROOTFLAGS=-o a='b' has a quote, and is ignored"
tools "root=nbd:h:x::a='b'" '' "$quote" 'connect nbd://h/x' "$quote" \
	"$watch" "ROOT='/dev/nbd0'"

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

# named MAKER: so it finds servers by their names
named()
{
	echo 'nameserver 192.0.2.3' >"$work/want"
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
getargbool() { getarg "\$2" >/dev/null; }
label_uuid_to_dev() { echo "/dev/disk/by-label/\${1#*=}"; }
dev_unit_name() { echo "\$1" | sed 's|^/||; s|-|\\\\x2d|g; s|/|-|g'; }
die() { echo "die: \$*"; exit 1; }
END

# dracut WORDS NEW_ROOT_PATH RESULT: what parse-nbdboot.sh sets
dracut()
{
	echo "$1 quiet" >"$work/cmdline"
	echo "$3" >"$work/want"
	rm -f "$work/hooks/initqueue/finished/nbdboot.sh"
	(
		. "$work/lib.sh"
		root=$(getarg root= || :) netroot='' rootok='' fstype=auto
		rflags=rw new_root_path=$2
		# shellcheck source=boot/dracut/95nbdboot/parse-nbdboot.sh
		. "$boot/dracut/95nbdboot/parse-nbdboot.sh"
		waits=''
		[ ! -e "$hookdir/initqueue/finished/nbdboot.sh" ] || waits=waits
		echo "$root $netroot ${rootok:--} $fstype $rflags $waits"
	) >"$work/got" 2>&1 || :
	same "dracut: $1${2:+ ($2)}"
}

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
		. "$boot/dracut/95nbdboot/generator.sh"
	) >"$work/out" 2>&1 || :
	grep '^\(What\|Type\|Options\)' "$work/gen/sysroot.mount" \
		>"$work/got" 2>/dev/null || :
	same "dracut's generator: $words"
}

generator 'root=/dev/sda1' ''
generator 'root=LABEL=l netroot=nbd:h:x' ''
generator 'root=nbd:h:x:ext4:errors=panic rw' \
	What=/dev/nbd0 Type=ext4 Options=errors=panic,rw
generator 'root=nbd://h/x nbdboot.part=3' What=/dev/nbd0p3 Options=ro

if grep -qx 'JobRunningTimeoutSec=0' \
	"$work/gen/dev-nbd0p3.device.d/timeout.conf"; then
	ok "dracut's generator: systemd waits for the device"
else
	not_ok "dracut's generator: systemd waits for the device"
	find "$work/gen" | sed 's/^/# /'
fi

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

# arch WORDS RESULT: the root that the hook sets, by a stub of init
arch()
{
	echo "$1 quiet" >"$work/cmdline"
	echo "$2" >"$work/want"
	rm -f "$work/calls"
	sed -e "s|/proc/cmdline|$work/cmdline|; s|/tmp/net|$work/net|" \
		-e "s|/etc/resolv|$work/resolv|" \
		"$boot/mkinitcpio/hook" >"$work/hook"
	(
		modprobe() { :; }
		msg() { :; }
		err() { echo "err: $*"; }
		root=unset rootfstype='' rootflags=''
		# shellcheck source=boot/mkinitcpio/hook
		. "$work/hook"
		run_hook
		echo "$root $rootfstype $rootflags $(grep -c '^watch' \
			"$work/calls" 2>/dev/null)"
	) >"$work/got" 2>&1 || :
	same "mkinitcpio (stub): $1"
}

arch 'root=/dev/sda1' 'unset   '
printf '%s\n' IPV4DNS0=192.0.2.3 IPV4DNS1=0.0.0.0 >"$work/net-eth0.conf"
arch 'root=nbd://h/x' '/dev/nbd0   1'
named 'mkinitcpio (stub)'
arch 'nbd_host=h nbd_name=x root=/dev/nbd0' '/dev/nbd0   1'
arch 'nbd_host=h nbd_name=x nbd_port=2000 root=/dev/nbd0p2' '/dev/nbd0p2   1'
arch 'root=nbd:h:x:ext4:errors=panic' '/dev/nbd0 ext4 errors=panic 1'
# ---- completion ----

for shell in bash zsh fish; do
	sh "$boot/completion/make.sh" "$O/nbdboot" "$shell" >"$work/$shell"
	missing=''
	for command in $("$O/nbdboot" help | sed -n 's/^\([a-z-]*\)  .*/\1/p'); do
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

finish
