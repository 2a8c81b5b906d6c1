#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An image on Ceph behind two gateways: a machine writes, and compares what it
# reads, while storage daemons and gateways are killed and stopped.  ROUNDS= is
# how often each of them.  As root, with Debian's packages of Ceph (make deps does
# not install them: deps.sh ceph).  TAP on standard output.
#
#	machine --nbd--> gateway 1, gateway 2 --librbd--> 3 storage daemons
vm_kind=uml
VM_LIMIT=${VM_LIMIT:-3600}
[ "${UML_INSIDE-}" ] || sh "${0%/*}/../deps.sh" ceph || exit 1
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

rounds=${ROUNDS:-1}
tree=$work/tree
ceph=$work/ceph
export CEPH_CONF="$ceph/ceph.conf"

# stop_daemons: those of Ceph leave the process that starts them
stop_daemons()
{
	for file in "$ceph"/*.pid; do
		[ ! -e "$file" ] || kill -9 "$(cat "$file")" 2>/dev/null || true
	done
}
at_exit()
{
	vm_stop
	stop_daemons
}

# one machine: no passwords, which a site has; data in files of 1 GiB
settings()
{
	cat <<-END
		[global]
		fsid = 3a2b1c4d-0000-4000-8000-000000000041
		mon host = v2:127.0.0.1:3300
		auth cluster required = none
		auth service required = none
		auth client required = none
		osd pool default size = 3
		osd pool default min size = 2
		osd crush chooseleaf type = 0
		osd memory target = 939524096
		bluestore block size = 1073741824
		run dir = $ceph
		admin socket = $ceph/\$name.\$pid.asok
		log file = $ceph/\$name.log
		pid file = $ceph/\$name.pid
		mon data = $ceph/mon
		mgr data = $ceph/mgr
		osd data = $ceph/\$name
		mgr initial modules =
	END
}

osd()
{
	ceph-osd -i "$1" >>"$work/osd.out" 2>&1 || die "no osd.$1: $(cat "$work/osd.out")"
}

# until_clean: all copies of all data are there
until_clean()
{
	until ceph pg stat 2>/dev/null | grep -q ' \([0-9]*\) active+clean;'; do
		sleep 0.5
	done
}

make_cluster()
{
	mkdir -p "$ceph/mon" "$ceph/mgr"
	settings >"$CEPH_CONF"
	monmaptool --create --fsid 3a2b1c4d-0000-4000-8000-000000000041 \
		--addv a '[v2:127.0.0.1:3300]' "$work/monmap" &&
		ceph-mon -i a --mkfs --monmap "$work/monmap" &&
		ceph-mon -i a && ceph-mgr -i x || return
	for n in 0 1 2; do
		mkdir "$ceph/osd.$n"
		id=$(cat /proc/sys/kernel/random/uuid)
		ceph osd new "$id" &&
			ceph-osd -i $n --mkfs --osd-uuid "$id" 2>>"$work/osd.out" &&
			osd $n || return
	done
	ceph osd pool create rbd 8 8 && until_clean
}

# gateway PORT [CACHE]: a server of the image.  Sets server.
gateway()
{
	daemon_at "$1" qemu-nbd -p "$1" -b 127.0.0.1 -t -e 8 \
		--cache="${2:-none}" -f raw "rbd:rbd/root:conf=$CEPH_CONF"
}

# both [CACHE]: sets one and two (processes)
both()
{
	gateway "$port_one" "$@"
	one=$server
	gateway "$port_two" "$@"
	two=$server
}

end()
{
	kill -9 "$1"
	wait "$1" 2>/dev/null || true
}

# user: prints which gateway the machine is connected to
user()
{
	for port in "$port_one" "$port_two"; do
		[ ! "$(ss -Htn state established "sport = :$port" dst 10.0.2.15)" ] ||
			echo "$port"
	done
}

# blocked: how many clients the cluster refuses since they held the lock and
# did not answer
blocked()
{
	ceph osd blocklist ls 2>/dev/null | grep -c :
}

# answered CACHE: what is left of writes that were answered by a killed gateway
answered()
{
	rbd create --size 64M --image-feature exclusive-lock root 2>"$work/out"
	both "$1"
	vm_keys=$work/keys
	[ -p "$vm_keys" ] || mkfifo "$vm_keys"
	exec 4<>"$vm_keys"
	vm_start "$work/initramfs" "rdinit=/test test.tty=console loglevel=4 \
test.kind=answered test.one=$port_one test.two=$port_two"
	vm_wait 'guest: answered'
	end "$one"
	echo >&4
	vm_end
	vm_keys=
	exec 4>&-
	end "$two"
	until rbd rm --no-progress root 2>"$work/out"; do sleep 1; done
}

# with_errors: a copy from the second gateway fails
with_errors()
{
	rm -f "$work/copy"
	! "$nbdboot" copy "nbd://127.0.0.1:$port_two/" "$work/copy"
}

# renew: the gateway that was stopped is started anew
renew()
{
	check 'and it answers with errors then' with_errors
	end "$stopped"
	stopped=
	gateway "$port_two"
	two=$server
	check 'until it is started anew' eval '! with_errors'
}

# fault N: what happens in this round of the machine
fault()
{
	case $((($1 - 1) % 4)) in
	0)
		[ ! "${stopped-}" ] || renew
		osd=$(cat "$ceph/osd.0.pid")
		end "$osd"
		;;
	1)
		osd 0
		end "$one"
		;;
	2)
		gateway "$port_one"
		one=$server
		# the one that is used does not answer, and is no more killed
		stopped=$two before=$(blocked)
		kill -STOP "$stopped"
		;;
	3)
		check 'a gateway that does not answer loses its right to write' \
			[ "$(blocked)" -gt "$before" ]
		# what it still has is refused by the cluster
		kill -CONT "$stopped"
		;;
	esac
}

# type_in: types the commands of nbdboot-servers(7)
type_in()
{
	ip addr add 192.0.2.1/32 dev lo
	sed -n '/^\.\\" type: ceph$/,/^\.Ed/p' \
		"$here/../../boot/cli/nbdboot-servers.7" |
		sed '/^\./d; s/\\e$/\\/' >"$work/block"
	[ -s "$work/block" ] && sh -eu "$work/block" </dev/null || return
	"$nbdboot" info nbd://192.0.2.1:10816/root >"$work/info"
	kill "$(ss -Hltnp 'sport = :10816' | sed -n 's/.*pid=\([0-9]*\),.*/\1/p')"
	grep -q 10737418240 "$work/info" || cat "$work/info" >&2
	until rbd rm --no-progress root; do sleep 1; done
	grep -q 10737418240 "$work/info"
}

find_kernel
port_one=$(free_port) port_two=$(free_port)
make_guest "$tree" guest/ceph.sh fio
initramfs "$work/initramfs" 'nbd crc32c_generic?' "$tree" | sed 's/^/# /'
vm_memory=512
check 'a cluster of 3 storage daemons' make_cluster
check 'the commands of nbdboot-servers(7) make an image and a gateway' type_in

answered none
shows 'a gateway without a cache: what it answered is there' \
	'what was answered is there' '^ok - no I/O error'
answered writeback
# which depends on the moment
sed -n 's/.*# what/# one with a cache: what/p' "$work/log"

rbd create --size 64M --image-feature exclusive-lock root
both
vm_start "$work/initramfs" "rdinit=/test test.tty=console loglevel=4 test.rate=2M \
test.rounds=$((4 * rounds + 1)) test.one=$port_one test.two=$port_two"
faults=0
while vm_wait 'guest: round *' 'ok - *' 'not ok - *' 'end of tests'; do
	case $line in
	'ok - '*) ok "${line#ok - }" ;;
	'not ok - '*) not_ok "${line#not ok - }" && show "$work/log" ;;
	'guest: round '*)
		# after so much that writes are in flight
		sleep 2
		echo "# $line: gateway at $(user), $(blocked) clients are refused"
		fault "${line##* }"
		faults=$((faults + 1))
		;;
	*) break ;;
	esac
done
check 'the machine comes to its end' [ "$line" = 'end of tests' ]
vm_end
check 'and each round had its fault' [ "$faults" = $((4 * rounds + 1)) ]
finish
