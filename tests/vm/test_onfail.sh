#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Boots that fail, with nbdboot.onfail= and its like.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

boot()
{
	vm_start "$work/initramfs" "loglevel=4 ip=$guest_ip $*"
}

# says SENTENCE PATTERN...: the console has these lines in this order
says()
{
	sentence=$1
	shift
	for pattern; do
		if ! vm_wait "*$pattern*"; then
			not_ok "$sentence: $pattern"
			show "$work/log"
			return
		fi
	done
	ok "$sentence"
}

# ends SENTENCE: the machine ends by itself, without a panic
ends()
{
	while vm_wait '*'; do :; done
	check "$1" eval "! said 'Kernel panic'"
	vm_stop
}

# syslog_at PORT: a server whose log is $work/syslog.  Sets syslog to its pid.
syslog_at()
{
	socat -u "UDP-RECV:$1" "CREATE:$work/syslog" &
	syslog=$!
	servers="$servers $syslog"
	until ss -Hlnu | grep -q ":$1 "; do
		runs "$syslog" || die "no server of syslog at $1"
	done
}

# logged SENTENCE PATTERN...: the log of the server has them in this order
logged()
{
	sentence=$1
	shift
	# what was sent before this is there, too
	echo END | socat -u - "UDP:127.0.0.1:$log_port"
	until grep -q END "$work/syslog"; do
		runs "$syslog" || die 'the server of syslog is gone'
	done
	log=$(cat "$work/syslog")
	for pattern; do
		case $log in
		*"$pattern"*) log=${log#*"$pattern"} ;;
		*)
			not_ok "$sentence: $pattern"
			show "$work/syslog"
			return
			;;
		esac
	done
	ok "$sentence"
}

find_kernel
add_busybox "$work/add"
rm -f "$work/add/bin/init" "$work/add/bin/modprobe"
# Preloaded modules are loaded, although no server is reached.
cat >"$work/add/bin/hello" <<'END'
#!/bin/sh
echo guest: a shell
until grep -q '^nbd ' /proc/modules && grep -q '^ext4 ' /proc/modules; do :; done
echo guest: ext4 is loaded
END
chmod 755 "$work/add/bin/hello"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4' "$work/add" |
	sed 's/^/# /'
# A port without a listener, and one whose listener does not answer.
down=$(free_port)
port=$(free_port)
daemon_at "$port" socat -T 60 -u "TCP-LISTEN:$port,bind=127.0.0.1,fork" \
	OPEN:/dev/null
silent=$port
truncate -s 8M "$work/blank"

# ---- consoles ----

# /dev/console is the last one; this test reads the serial port.
in_qemu boot console=tty0 nbdboot.onfail=halt
says 'a failure is reported on a console other than /dev/console' \
	'nbdboot: FAILED: kernel command line: ' 'nbdboot: halted'
says 'and nbdboot.onfail=halt halts' 'System halted'
vm_stop

# ---- a mistake ----

boot nbdboot.onfail=reboot
says 'nbdboot.onfail=reboot reboots after a mistake' 'nbdboot: FAILED' \
	'nbdboot: rebooting in 1 s'
ends 'and the machine does'
boot nbdboot.onfail=nothing "root=nbd://$host:$down/"
says 'a wrong word is refused' \
	'FAILED: kernel command line: nbdboot.onfail=nothing is not reboot'
vm_stop

# ---- a time-out ----

log_port=$(free_port)
syslog_at "$log_port"
boot "root=nbd://$host:$down/ nbdboot.timeout=5 \
nbdboot.log=udp://$host:$log_port"
says 'an outage is tried again, then given up' 'FAILED: connect' \
	'next try in 1 s' 'FAILED: connect' 'given up: not booted in 5 s'
ends 'and the machine reboots'
logged 'a server of syslog has the story of the boot' \
	'kernel command line' '52:54:' 'FAILED: connect:' 'next try in 1 s' \
	'given up: not booted in 5 s' 'rebooting'

# story SENTENCE WORDS PATTERN...: the log of the server has it, from the first
# line of the machine on
story()
{
	end_server "$syslog"
	rm "$work/syslog"
	syslog_at "$log_port"
	sentence=$1
	boot "$2 nbdboot.onfail=reboot nbdboot.log=udp://$host:$log_port"
	shift 2
	vm_end
	logged "$sentence" 'kernel command line' '52:54:' "$@"
}
bare_tree "$work/bare"
mkdir "$work/disks"
ext4_of "$work/bare" "$work/disks/bare"
printf '#!/bin/sh\nexit 1\n' >"$work/bare/sbin/init"
chmod 755 "$work/bare/sbin/init"
ext4_of "$work/bare" "$work/disks/ends"
cp "$work/blank" "$work/disks/blank"
serve 0 file "dir=$work/disks"
of=root=nbd://$host:$port
story 'it has a name that nobody knows' \
	"root=nbd://nowhere.invalid/ nameserver=127.0.0.1 nbdboot.timeout=20" \
	'FAILED: connect: nbd://nowhere.invalid' 'given up' rebooting
story 'and an export that is missing' "$of/missing" \
	'FAILED: connect:' missing rebooting
story 'and one without a file system' "$of/blank" 'FAILED: mount: ' rebooting
story 'and a root without an init' "$of/bare" \
	'FAILED: init: the new root has no /sbin/init' rebooting
story 'and how far a boot came whose init ends' "$of/ends panic=1" \
	"root is /dev/nbd0 (nbd://$host:$port/ends), starting /sbin/init"
unserve

boot "root=nbd://$host:$silent/ nbdboot.timeout=4 nbdboot.onfail=reboot"
says 'a step that hangs is given up' 'given up: not booted in 4 s' \
	'rebooting'
ends 'and the machine reboots all the same'
# every connection ends at its first read, so the device is never ready
serve_dropping "$work/blank" 1000
boot "root=nbd://$host:$port/ nbdboot.timeout=8 nbdboot.onfail=reboot"
says 'a device that cannot be read is given up' 'given up: not booted in 8 s' \
	'rebooting'
ends 'and the machine reboots all the same'
connections=$(connections)
if [ "$connections" -ge 2 ] && [ "$connections" -lt 40 ]; then
	ok "the server was asked $connections times: more than once, not too often"
else
	not_ok "the server was asked $connections times"
fi
unserve
in_qemu boot "root=nbd://$host:$down/ nbdboot.timeout=4 nbdboot.onfail=shell \
nbdboot.shell=/bin/hello"
says 'a shell is started when it is given up, then it is tried again' \
	'given up: not booted in 4 s' 'starting /bin/hello' 'guest: a shell' \
	'guest: ext4 is loaded' 'FAILED: connect' \
	'given up: not booted in 4 s'
vm_stop

# ---- a long outage ----

boot "root=nbd://$host:$down/ nbdboot.outage=halt:5"
says 'a wrong limit of an outage is refused' \
	'FAILED: kernel command line: nbdboot.outage: halt:5: not reboot:SECONDS'
vm_stop
mkdir "$work/root"
add_busybox "$work/root"
mkdir -p "$work/root/sbin" "$work/root/proc" "$work/root/sys" \
	"$work/root/dev" "$work/root/run"
printf '#!/bin/sh\necho guest: up\nread -r forever </dev/console\n' \
	>"$work/root/sbin/init"
rm -f "$work/root/bin/init"
chmod 755 "$work/root/sbin/init"
ext4_of "$work/root" "$work/ext4"
serve 0 file "$work/ext4"
boot "loglevel=4 root=nbd://$host:$port/ nbdboot.outage=reboot:5"
says 'a machine with nbdboot.outage= boots' 'guest: up'
unserve
says 'and reboots when its server is away for too long' \
	'no answer for 5 s: rebooting'
ends 'which needs nothing of the root'

# ---- another image ----

ext4_of "$work/root" "$work/other"

# other WORDS: a server that is replaced by one with other UUIDs
other()
{
	serve "$port" file "$work/ext4"
	boot "loglevel=5 root=nbd://$host:$port/ $1"
	vm_wait '*guest: up*' || true
	unserve
	serve "$port" file "$work/other"
	vm_wait '*another disk image*' '*all connections live again*' || true
	vm_stop
	unserve
}
other ''
check 'a server that comes back with another image is refused' \
	said 'nbd0: .*the server has another disk image'
other nbdboot.identity=0
check 'but not with nbdboot.identity=0' said 'all connections live again'

finish
