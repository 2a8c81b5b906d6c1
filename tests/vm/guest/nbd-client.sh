# shellcheck shell=sh disable=SC2154,SC2034,SC2016,SC2086,SC2012
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_nbd_client.sh in the machine, sourced by guest/init.sh.

ln -s nbdboot /bin/nbd-client
port=$(word port)
host=10.0.2.2
modprobe -a virtio_pci virtio_net nbd
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up

# state: what the device looks like to everybody else
state()
{
	[ -e /sys/block/nbd0/pid ] || return 0
	echo "size $(cat /sys/block/nbd0/size)" \
		"ro $(cat /sys/block/nbd0/ro)" \
		"bs $(cat /sys/block/nbd0/queue/logical_block_size)" \
		"queues $(ls -d /sys/block/nbd0/mq/* | wc -l)" \
		"nodes $(cd /dev && echo nbd0*)"
}

# Runs PROGRAM WORDS, and prints its status, the line that scripts read, and
# the state of the device, which is disconnected then.
outcome()
{
	status=0
	"$@" >out 2>err </dev/null || status=$?
	# nbd-client returns before the kernel has scanned the partitions
	: </dev/nbd0
	echo "status $status"
	grep '^Connected' out || :
	state
	[ ! -e /sys/block/nbd0/pid ] || theirs -d /dev/nbd0 >/dev/null
	until [ ! -e /sys/block/nbd0/pid ]; do sleep 0.1; done
}

# both WORDS: nbd-client and we lead to the same
both()
{
	outcome theirs "$@" >want
	outcome nbd-client "$@" >got
	check "like nbd-client: $*" cmp want got
	cmp -s want got || sed 's/^/# /' want got err
}

both -N x $host $port /dev/nbd0
both -name x $host $port /dev/nbd0
both --name=x $host $port /dev/nbd0
both $host $port /dev/nbd0
both $host $port /dev/nbd0 bs=1024 timeout=9
both $host $port /dev/nbd0 -b 4096 -persist -systemd-mark -swap
both -R $host $port /dev/nbd0
both -readonly -t 3 $host $port /dev/nbd0
both -nofork $host $port /dev/nbd0
both -C 4 -g $host $port /dev/nbd0
both -N x $host 9 /dev/nbd0
both -size 67108864 $host $port /dev/nbd0
serve /tmp/sock memory 64M
printf '%s\n' 'nbd0 /tmp/sock x unix' >/etc/nbdtab
both -unix /tmp/sock /dev/nbd0
both -u /tmp/sock -N x /dev/nbd0
both nbd0
both /dev/nbd0

# ---- what nbd-client has not ----

# 3.24 takes no nbd0 without /dev/ there.
check 'nbd0 is enough' nbd-client -N x $host $port nbd0
nbd-client -d nbd0
check '-L connects' nbd-client -L -N x $host $port /dev/nbd0
nbd-client -nonetlink -d /dev/nbd0
# Its process still had the device for a moment: 6 times of 150.
by_turns()
{
	for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
		nbd-client -L -N x $host $port /dev/nbd0 &&
			nbd-client -d nbd0 &&
			nbd-client -N x $host $port nbd0 &&
			nbd-client -d nbd0 || return 1
	done >out 2>&1
}
check 'what -L connected is free after -d, 20 times' by_turns
# As udev has it; the driver shows it as connected until then.  It says at once that
# somebody disconnects it.
ends()
{
	dmesg | grep -c 'block nbd0: Disconnected due to user request'
}
nbd-client -N x $host $port nbd0
before=$(ends)
exec 7</dev/nbd0
while [ "$(ends)" = "$before" ]; do sleep 0.1; done &
exec 7<&-
check 'what is open for a moment is free after -d' \
	eval 'nbd-client -d nbd0 && [ ! -e /sys/block/nbd0/pid ]'
# It has no port from a table, and no first free device.
printf '%s\n' "nbd0 $host x port=$port,read-only,connections=2" >/etc/nbdtab
check 'a line of nbdtab with our options' nbd-client nbd0
check 'is connected as it says' same "$(cat /sys/block/nbd0/ro)" 1
check '-c prints the process and succeeds' \
	same "$(nbd-client -c /dev/nbd0p1) $?" "$(cat /sys/block/nbd0/pid) 0"
check '-d disconnects' nbd-client -d /dev/nbd0
check 'nothing is left' same "$(devices)" ''
check 'a device that is not connected: 1' \
	same "$(nbd-client -c nbd0; echo $?)" 1
check '-d of it succeeds, like nbd-client' nbd-client -d nbd0
said=$(nbd-client -N x $host $port)
check 'the first free device is taken, and named' same "${said##*
}" 'Connected /dev/nbd0'
check 'a partition stands for the device' nbd-client -d /dev/nbd0p1
refused 'another size is refused' 1 'bytes, not 4096' \
	nbd-client -B 4096 $host $port nbd0

# ---- TLS ----

tls=$(word tls)
check 'TLS with a certificate of each side' nbd-client -N x $host $tls nbd0 \
	-A /tls/ca-cert.pem -F /tls/client-cert.pem -K /tls/client-key.pem
check 'TLS is what the kernel does' \
	eval 'grep -q "^TlsCurrTx[DS][a-z]*[[:space:]]*1$" /proc/net/tls_stat'
check 'TLS: the data is that of the export' \
	same "$(dd if=/dev/nbd0 bs=512 skip=1 count=1 2>/dev/null | head -c 8)" \
	'EFI PART'
nbd-client -d nbd0
check 'TLS by the long options, and another name to check' nbd-client \
	-enable-tls -cacertfile /tls/ca-cert.pem -keyfile /tls/client-key.pem \
	-certfile /tls/client-cert.pem -tlshostname localhost $host $tls nbd0
nbd-client -d nbd0
refused 'TLS: a name that is not in the certificate' 1 'certificate is for' \
	nbd-client -x -A /tls/ca-cert.pem -F /tls/client-cert.pem \
	-K /tls/client-key.pem -H other.example $host $tls nbd0
refused 'TLS: a server that wants a certificate of ours' 1 '' \
	nbd-client -x -A /tls/ca-cert.pem $host $tls nbd0
printf '%s\n' "nbd0 $host x port=$tls,cacertfile=/tls/ca-cert.pem,\
certfile=/tls/client-cert.pem,keyfile=/tls/client-key.pem" >/etc/nbdtab
check 'TLS as nbdtab says' nbd-client nbd0
nbd-client -d nbd0

# ---- -persist ----

watched()
{
	grep -q "POSIX .*:$(stat -c %i /run/nbdboot/nbd0.watch) " /proc/locks
}

# The output ends with the command, although a process stays.
said=$(nbd-client -p -systemd-mark $host $port nbd0)
check '-p: the output is complete' same "${said##*
}" 'Connected /dev/nbd0'
check '-p: a process watches when it returns' watched
pid=$(sed -n "s/.*POSIX .* \([0-9]*\) .*:$(stat -c %i \
	/run/nbdboot/nbd0.watch) .*/\1/p" /proc/locks)
check '-m marks it' same "$(head -c 1 "/proc/$pid/cmdline")" @
check 'it has left the session of its caller' \
	same "$(awk '{ print $6 }' "/proc/$pid/stat")" "$pid"
nbd-client -d nbd0
until [ ! -d "/proc/$pid" ]; do sleep 0.1; done
ok 'it ends with the device'

# An outage: the server is gone until the request waits.
local_server()
{
	rm -f /tmp/local
	serve /tmp/local memory 64M
}

# The driver says this when a request begins to wait.
waiting()
{
	dmesg | grep -q 'Dead connection, failed to find a fallback'
}

local_server
nbd-client -p -u /tmp/local nbd0 >/dev/null
dd if=/dev/urandom of=data bs=1M count=4 2>/dev/null
unserve
dd if=data of=/dev/nbd0 bs=1M conv=fsync 2>/dev/null &
writer=$!
until waiting; do sleep 0.1; done
until dmesg | grep -q 'nbdboot: nbd0: .*refused'; do sleep 0.1; done
local_server
check '-p: a server that was killed is connected again' wait $writer
nbd-client -d nbd0
nbd-client -u /tmp/local nbd0 >/dev/null
unserve
check 'without -p I/O fails, like with nbd-client' \
	same "$(dd if=/dev/nbd0 of=/dev/null bs=4k count=1 iflag=direct \
	2>/dev/null; echo $?)" 1
nbd-client -d nbd0

# in the foreground
local_server
nbd-client -n -p -u /tmp/local nbd0 >out 2>err &
client=$!
until [ -e /sys/block/nbd0/pid ] && watched; do sleep 0.1; done
check '-n: the process itself stays' same "$(readlink /proc/$client/exe)" \
	"$(readlink -f /bin/nbdboot)"
nbd-client -d nbd0
check '-n: it ends with the device' wait $client
