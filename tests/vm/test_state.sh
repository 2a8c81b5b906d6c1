#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdstate.py prints the state of the driver, from a dump of a machine's memory
# and from the machine as it runs, by drgn and by gdb.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
trace=$here/../../boot/trace

# state NAME COMMAND...: runs a debugger; what nbdstate.py prints is in that file
state()
{
	name=$1
	shift
	"$@" >"$work/out" 2>"$work/err" || true
	grep '^nbd[0-9]*: \|^  ' "$work/out" >"$work/$name" || {
		show "$work/out"
		show "$work/err"
	}
}

# agree SENTENCE FILE FILE: they are equal, and not empty
agree()
{
	if [ -s "$work/$2" ] && cmp -s "$work/$2" "$work/$3"; then
		ok "$1"
	else
		not_ok "$1"
		diff "$work/$2" "$work/$3" | sed 's/^/# /' || true
	fi
}

find_kernel
make_guest "$work/tree" guest/state.sh fio ss
initramfs "$work/initramfs" 'qemu_fw_cfg nbd tcp_diag unix_diag' \
	"$work/tree" | sed 's/^/# /'
vm_cpus=4
vm_memory=768
mkfifo "$work/monitor.in" "$work/monitor.out"
vm_start "$work/initramfs" rdinit=/test -serial "file:$work/kernel.log" \
	-device vmcoreinfo -gdb "unix:$work/gdb,server,nowait" \
	-monitor "pipe:$work/monitor"
vm_wait ready || {
	show "$work/log"
	die 'the machine ended early'
}
echo stop >"$work/monitor.in"
for kind in status netstat trace kallsyms dead; do
	sed -n "s/^$kind: //p" "$work/log" >"$work/$kind"
done
# It stays as it is: QEMU lets it run after a detach, but not after "disconnect".
gdb -nx -batch -ex "target remote $work/gdb" \
	-ex "monitor dump-guest-memory -p $work/dump" -ex disconnect \
	>"$work/out" 2>&1 || show "$work/out"

run env "PATH=$PATH" sh "$trace/nbdstate-symbols" "$work/symbols" \
	"$vmlinux" "$modules/kernel/drivers/block/nbd.ko" "$work/kallsyms"
expect 0 '' 'nbdstate-symbols makes a file of symbols from BTF'
script=$trace/nbdstate.py
state drgn drgn -q -c "$work/dump" -s "$work/symbols" "$script"
state gdb-dump gdb -nx -batch -x "$script" "$work/symbols" "$work/dump"
state gdb-live gdb -nx -batch -ex "target remote $work/gdb" -x "$script" \
	"$work/symbols"
show "$work/drgn"

# what it has in common with status
sed 's/, [0-9]* wanted$//; s/, sent .*//' "$work/status" |
	sort >"$work/status.common"
grep '^nbd\|^  live ' "$work/drgn" | sed 's/, [0-9]* \(unsent\|pack\).*//' |
	sort >"$work/drgn.common"
agree 'drgn shows the devices and live connections of status' \
	status.common drgn.common
check_dead=$(grep -c "^nbd0: 3 live, 1 dead$\|^  dead .* from port $(cat \
	"$work/dead")," "$work/drgn") || true
if [ "$check_dead" = 2 ]; then
	ok 'and the connection that is dead'
else
	not_ok 'and the connection that is dead'
fi

# lines ADDRESS PORT UNREAD UNSENT
awk '$4 ~ /:10809$/ || $5 !~ /:10809$/ || $6 != "ESTABLISHED" { next }
	{ print $4, $2, $3 }' "$work/netstat" | sort >"$work/netstat.queues"
awk '/^  live.* port / { gsub(",", "")
	print $2 ":" $7, $12, $8 + $10 }' "$work/drgn" | sort \
	>"$work/drgn.queues"
agree 'the queues of sockets are those of netstat' netstat.queues drgn.queues
if grep -q ' [1-9][0-9]*$' "$work/drgn.queues"; then
	ok 'which are not empty'
else
	not_ok 'which are not empty'
fi

# The first 8 are those of nbd0.  Lines COOKIE SECONDS
sed -n 's/.* \([0-9.]*\): nbd_header_sent: .* handle \(.*\)/\2 \1/p' \
	"$work/trace" | head -n 8 | sort >"$work/trace.requests"
sed -n '/^nbd3/q; s/.* sent \([0-9.]*\) s ago, cookie /\1 /p' "$work/drgn" |
	awk '{ print $2, $1 }' | sort >"$work/drgn.requests"
for name in trace drgn; do
	cut -d ' ' -f 1 "$work/$name.requests" >"$work/$name.cookies"
done
agree 'the cookies of requests are those of the trace' trace.cookies \
	drgn.cookies
if join "$work/trace.requests" "$work/drgn.requests" | awk '
	{ now = $2 + $3 }
	NR == 1 || now < least { least = now }
	NR == 1 || now > most { most = now }
	NR == 1 || $3 < young { young = $3 }
	NR == 1 || $3 > old { old = $3 }
	END { print "# ages", young, "to", old, "by", least, "to", most
		exit NR != 8 || most - least > 1 || old - young < 2 }'; then
	ok 'and so are their ages'
else
	not_ok 'and so are their ages'
fi
if [ "$(grep -c '^  read of 4096 at' "$work/drgn")" = 4 ] &&
	[ "$(grep -c '^  write of 8192 at' "$work/drgn")" = 4 ] &&
	[ "$(grep -c '^  write of 131072 at' "$work/drgn")" = 8 ]; then
	ok 'commands and sizes are those of the load'
else
	not_ok 'commands and sizes are those of the load'
fi
agree 'gdb prints the same from the dump' drgn gdb-dump
agree 'gdb prints the same from the running kernel' drgn gdb-live
finish
