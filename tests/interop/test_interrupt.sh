#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SIGINT and SIGTERM end each command, whatever it waits for: a name server, a
# connection, each step of a handshake, a reply, a lease, a pipe.  Each must end
# within a second (control.h).  vm/test_scale.sh has those that need the
# driver.  TAP on standard output.
O=${1:-build}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/pki.sh
. "${0%/*}/../pki.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
nbdboot=$O/nbdboot
here=${0%/*}
# s: a case that hangs is a failure
limit=900

for program in faults interrupt dns; do
	gcc -O2 -std=c11 -D_GNU_SOURCE -o "$work/$program" "$here/$program.c"
done
case $(uname -m) in
x86_64) poll=7 nanosleep=35 open=2 read=0 write=1 sigsuspend=130 ;;
*) die "no numbers of system calls for $(uname -m)" ;;
esac
pki "$work/pki"
pki_server "$work/pki" ecdsa ecdsa
pki_use "$work/pki" ecdsa "$work/tls"
truncate -s 16M "$work/image"
ln -s "$nbdboot" "$work/nbd-client"
mkdir "$work/s" "$work/own"

# ---- a server that freezes, or loses a message ----

# NAME, the last step, and the words.  FAULTY is the path of the server's
# socket, OWN a file of the case.
commands()
{
	cat <<-'END'
		info 5 nbdboot info nbd+unix:///?socket=FAULTY
		map 4 nbdboot info --map nbd+unix:///?socket=FAULTY
		latency 9 nbdboot info --latency nbd+unix:///?socket=FAULTY
		exports 4 nbdboot exports nbd+unix:///?socket=FAULTY
		client 4 nbd-client -l FAULTY -u
		read 30 nbdboot copy nbd+unix:///?socket=FAULTY OWN
		pipe 9 nbdboot copy nbd+unix:///?socket=FAULTY -
		write 30 nbdboot copy IMAGE nbd+unix:///?socket=FAULTY
		verify 90 nbdboot copy --verify IMAGE nbd+unix:///?socket=FAULTY
		tls 12 nbdboot info TLS
		tls-copy 30 nbdboot copy TLS OWN
	END
}

# one FAULT STEP SIGNAL NAME WORD...
cat >"$work/one" <<'END'
case=$4-$1-$2-$3 fault=$1 step=$2 signal=$3 name=$4 tls=''
shift 4
[ "${name#tls}" = "$name" ] || tls="--tls=require --tls-certificates=$work/tls"
for word; do
	shift
	case $word in
	FAULTY) word=$work/s/$case ;;
	*FAULTY) word=${word%FAULTY}$work/s/$case ;;
	TLS) word="nbds+unix:///?socket=$work/s/$case&tls-hostname=localhost&tls-certificates=$work/ca" ;;
	OWN) word=$work/own/$case ;;
	IMAGE) word=$work/image ;;
	nbdboot) word=$nbdboot ;;
	nbd-client) word=$work/nbd-client ;;
	esac
	set -- "$@" "$word"
done
result=$("$work/faults" "$limit" "$fault" "$step" "$signal" \
	"exec nbdkit -s $tls --filter=blocksize-policy memory 16M \
		blocksize-maximum=64K blocksize-preferred=64K \
		blocksize-error-policy=error" \
	"$work/s/$case" "$@" 2>"$work/own/$case.err" </dev/null | tail -n 1)
echo "$name $fault $step $signal $result"
END
mkdir "$work/ca"
cp "$work/pki/ca-cert.pem" "$work/ca"

export work nbdboot limit
commands | while read -r name last words; do
	for step in $(seq 0 4) $(seq 7 9 "$last"); do
		[ "$step" -le "$last" ] || continue
		echo "freeze $step 2 $name $words"
		echo "lose $step 15 $name $words"
	done
done >"$work/table"
xargs -P 8 -L 1 sh "$work/one" <"$work/table" >"$work/came"
echo "# $(wc -l <"$work/came") cases, in $(grep -c ' soon$' "$work/came")" \
	"of them the signal ended the wait"
for name in $(commands | cut -d' ' -f1); do
	# without its message a command may go on (a reply that nobody needs)
	grep "^$name " "$work/came" | grep -v ' soon$\| none -$' >"$work/wrong" ||
		:
	if [ -s "$work/wrong" ] || ! grep -q "^$name .* soon$" "$work/came"; then
		not_ok "$name ends by a signal at each step"
		show "$work/wrong"
	else
		ok "$name ends by a signal at each step"
	fi
done

# ---- other waits, in a machine with a cable to another ----

# waits SENTENCE CALL COMMAND...: ends by each signal while it sleeps in CALL
waits()
{
	sentence=$1 call=$2
	shift 2
	for signal in 2 15; do
		result=$(at "$cli" "$work/interrupt" "$limit" "$signal" \
			"$call" "$@" 2>"$work/err" | tail -n 1)
		case $result in
		*' soon') ok "$sentence (signal $signal)" ;;
		*)
			not_ok "$sentence (signal $signal): $result"
			show "$work/err"
			;;
		esac
	done
}

namespace
srv=$ns
namespace
cli=$ns
cable v0 eth0
at "$srv" ip addr add 192.0.2.1/24 dev v0

# a name server that never answers
echo 'nameserver 127.0.0.1' >"$work/resolv.conf"
at "$cli" mount --bind "$work/resolv.conf" /etc/resolv.conf
mkfifo "$work/dns.in" "$work/dns.says"
nsenter -t "$cli" -n -m "$work/dns" silent <"$work/dns.in" \
	>"$work/dns.says" &
exec 5>"$work/dns.in" 6<"$work/dns.says"
read -r _ <&6
# packets to 198.51.100.2 are lost without a word
cable v1 lost
at "$cli" ip addr add 198.51.100.1/24 dev lost
at "$cli" ip link set lost up
at "$cli" ip neigh add 198.51.100.2 lladdr 02:00:00:00:00:02 dev lost

for server in srv.example 198.51.100.2; do
	for words in "info nbd://$server/" "exports nbd://$server/" \
		"copy nbd://$server/ $work/own/x"; do
		# shellcheck disable=SC2086 # words on purpose
		waits "${words%% *} waits for $server" "$poll" "$nbdboot" $words
	done
	waits "nbd-client waits for $server" "$poll" "$work/nbd-client" -l \
		"$server"
done

waits 'ifup waits for a DHCP server' "$poll" "$nbdboot" ifup ip=dhcp
waits 'ifup waits for a router' "$poll" "$nbdboot" ifup ip=auto6
dhcpd_on v0 192.0.2.50 192.0.2.60
run at "$cli" "$nbdboot" ifup ip=dhcp
expect 0 eth0 'there is a lease'
end_server "$server"
waits 'ifup -r waits for an answer' "$poll" "$nbdboot" ifup -r
waits 'renew waits for its time' "$poll" "$nbdboot" renew
at "$srv" ip link set v0 down
waits 'ifup waits for a carrier' "$poll" "$nbdboot" ifup ip=dhcp
waits 'watch waits for a device' "$poll" "$nbdboot" watch
waits 'latency waits for its time' "$nanosleep" "$nbdboot" latency -n 0

# ---- what counts as late ----

# ends WORD SENTENCE TRAP: a shell of low priority that does so at a signal
# ends soon or late, while the processor is busy
ends()
{
	result=$("$work/interrupt" "$limit" 2 "$sigsuspend" /usr/bin/nice \
		-n 12 /bin/sh -c "
		sleep 60 &
		trap 'kill \$!; $3; exit 0' INT
		wait" | tail -n 1)
	check "$2" [ "$result" = "exit 0 $1" ] || echo "# $result"
}
processor=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
taskset -cp "$processor" $$ >/dev/null
for _ in 1 2 3; do
	sh -c "while [ -e /proc/$$ ]; do :; done" &
	servers="$servers $!"
	loops="${loops-} $!"
done
# shellcheck disable=SC2016 # for that shell
ends soon 'a command that waits for the processor is not late' \
	'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
ends late 'one that sleeps is' 'sleep 2'
# shellcheck disable=SC2086 # words on purpose
kill $loops

mkfifo "$work/fifo"
waits 'copy opens a pipe that nobody writes' "$open" \
	"$nbdboot" copy "$work/fifo" "$work/own/x"
waits 'copy opens a pipe that nobody reads' "$open" \
	"$nbdboot" copy "$work/image" "$work/fifo"
exec 7<>"$work/fifo"
waits 'copy reads a pipe that nobody writes' "$read" \
	"$nbdboot" copy "$work/fifo" "$work/own/x"
waits 'copy writes a pipe that nobody reads' "$write" \
	"$nbdboot" copy "$work/image" "$work/fifo"
check 'and says so' grep -q 'interrupted: the first' "$work/err"
finish
