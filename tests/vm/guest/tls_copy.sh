# shellcheck shell=sh disable=SC2154,SC2034,SC2016
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_tls_copy.sh in the machine, sourced by guest/init.sh.

modules=/lib/modules/$(uname -r)
ip link set lo up
dd if=/dev/urandom of=data bs=1M count=16 2>/dev/null

# nbdkit has ChaCha20-Poly1305 with a key in TLS 1.2 alone.
printf '[overrides]\ndisabled-version = tls1.3\n' >priority
export GNUTLS_SYSTEM_PRIORITY_FILE="$PWD/priority"

# tls_serve NBDKIT-ARGUMENT...: serves at port 10809, with TLS
tls_serve()
{
	nbdkit_starts -i 127.0.0.1 --tls=require "$@"
}

# end [PORT]: returns when the port is free
end()
{
	kill -9 "$server"
	wait_for_port "${1:-10809}"
}

# started NAME: how many connections' records the kernel has begun to make
started()
{
	set -- "$(sed -n "s/^Tls$1Sw[[:space:]]*//p" /proc/net/tls_stat 2>&-)"
	echo "${1:-0}"
}

# by_kernel COUNT COMMAND...: it succeeds without a word, and the kernel makes the
# records of COUNT more connections, none of which is left
by_kernel()
{
	more=$1
	shift
	tx=$(started Tx) rx=$(started Rx)
	"$@" >said 2>&1 || { cat said; return 1; }
	same "$(cat said)" '' &&
		same "$(started Tx)" $((tx + more)) &&
		same "$(started Rx)" $((rx + more)) &&
		same "$(started CurrTx)" "$(started CurrRx)"
}

# copies SENTENCE URI COUNT [OPTION...]: there and back, over COUNT connections in
# the kernel
copies()
{
	what=$1 uri=$2 n=$3
	shift 3
	rm -f back
	check "copy to $what" by_kernel "$n" nbdboot copy "$@" data "$uri"
	check "copy from $what" by_kernel "$n" nbdboot copy "$@" "$uri" back
	check "$what: what was copied came back" cmp data back
}

psk='nbds://alice@127.0.0.1/?tls-psk-file=/tls/psk'
certificate='nbds://127.0.0.1/?tls-certificates=/ca'

# without PATH -- COMMAND...: runs it while this part of the modules is away
without()
{
	mv "$modules/$1" "$modules/$1.away"
	away=$1
	shift 2
	"$@"
	mv "$modules/$away.away" "$modules/$away"
}

# ---- kernels that lack a part: the program makes the records ----

tls_serve --tls-psk=/tls/psk memory 16M
without kernel/net/tls -- copies 'a kernel without TLS' "$psk" 0
check 'and it has none' sh -c '! test -e /proc/net/tls_stat'
# the first copies have loaded it
rmmod chacha20poly1305
without kernel/crypto/chacha20poly1305.ko -- \
	copies 'a kernel without ChaCha20-Poly1305' "$psk" 0
check 'and it has none' sh -c '! grep -q "rfc7539(chacha20" /proc/crypto'

# ---- a kernel that has them ----

copies 'ChaCha20-Poly1305, 1 connection' "$psk" 1 -c 1
copies 'ChaCha20-Poly1305, 4 connections' "$psk" 4 -c 4
end
tls_serve --tls-certificates=/tls memory 16M
copies 'AES-GCM, which the program is better at' "$certificate" 0
end

# ---- an outage ----

head -c 4194304 data >part

# The server of part holds reads of the second half until the file "go" is there,
# and makes the file "held" then.  Shorter reads are those of the samples that
# identify a disk.
middle='[ $3 -lt 65536 ] || [ $4 -lt 2097152 ] || {
		: >/tmp/held
		until [ -e /tmp/go ]; do usleep 20000; done
	}
	dd if=/tmp/part bs=4096 skip=$(($4 / 4096)) count=$(($3 / 4096)) 2>/dev/null'

# begins URI: starts a copy, until it is in its middle
begins()
{
	rm -f back go held
	: >err
	nbdboot copy --progress -q 2 -c 1 "$1" back 2>err &
	copy=$!
	until [ -e held ] || [ ! -e "/proc/$copy" ]; do
		usleep 20000
	done
}

# ends STATUS TEXT SENTENCE: the copy does, with these
ends()
{
	wait "$copy"
	status=$?
	if [ "$status" = "$1" ] && grep -q -e "$2" err &&
		{ [ "$1" != 0 ] || cmp part back; }; then
		ok "$3"
	else
		not_ok "$3" "status $status: $(tr '\r\n' '  ' <err | tail -c 300)"
	fi
}

tls_serve --tls-psk=/tls/psk eval get_size='echo 4M' pread="$middle"
began=$(started Tx)
begins "$psk"
end
until grep -q 'waiting for' err || [ ! -e "/proc/$copy" ]; do
	usleep 20000
done
tls_serve --tls-psk=/tls/psk file part
: >go
ends 0 'answers again' 'the server is killed, and comes back'
check 'and the kernel has the records again' same "$(started Tx)" \
	$((began + 2))
end

# ---- what is no data ----

# One thread for each client: see server() in guest/outage.sh.
nbdkit_starts -t 1 -i 127.0.0.1 -p 10808 eval get_size='echo 4M' pread="$middle"
mkfifo kinds ready

# sender SUITE: records.c, which obeys file descriptor 5, and answers on 6
sender()
{
	records 10809 /tls/server-cert.pem /tls/server-key.pem 10808 \
		"$1" <kinds >ready 2>&1 &
	sender=$!
	exec 5>kinds 6<ready
	read -r line <&6
	[ "$line" = ready ] || not_ok "a server with $1" "$line"
}

# It ends with its input, and its port is free then.
sender_ends()
{
	exec 5>&-
	wait "$sender"
	exec 6<&-
}

# other KIND STATUS TEXT SENTENCE
other()
{
	began=$(started Tx)
	begins "$certificate"
	echo "$1" >&5
	read -r line <&6
	[ "$line" = sent ] || not_ok "$1 is sent" "$line"
	: >go
	shift
	ends "$@"
	[ "$(started Tx)" != "$began" ] || not_ok 'the kernel has the records'
	# none of its reads is held any more
	while netstat -tn | grep ':10808 ' | grep -qv TIME_WAIT; do
		sleep 0.1
	done
}
sender "$(word suite)"
other hello-request 0 '' 'a request to renegotiate is ignored'
other warning 0 '' 'a warning is ignored'
other close-notify 0 'answers again' 'a goodbye is an outage'
other handshake 1 'TLS' 'a message of a handshake ends the copy'
other forged 1 'TLS' 'a forged record ends the copy'
other garbage 1 'TLS' 'what is no record ends the copy'
sender_ends
sender TLS1-3-CHACHA20-POLY1305-SHA256
other key-update 0 'answers again' 'TLS 1.3: a new key is an outage'
other handshake 1 'TLS' 'TLS 1.3: another message of a handshake ends the copy'
sender_ends
end 10808
