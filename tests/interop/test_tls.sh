#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# TLS with the servers that people run, and with servers that must not be
# trusted.
O=${1:-build}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/pki.sh
. "${0%/*}/../pki.sh"
nbdboot=$O/nbdboot
pki=$work/pki
free=$(free_port)

# exports TEXT SENTENCE ARGUMENT...: succeeds and prints TEXT
exports()
{
	text=$1 sentence=$2
	shift 2
	run "$nbdboot" exports "$@"
	expect 0 "$text" "$sentence"
}

# refused STATUS TEXT SENTENCE ARGUMENT...
refused()
{
	want=$1 text=$2 sentence=$3
	shift 3
	run "$nbdboot" exports "$@"
	expect "$want" "$text" "$sentence"
	[ ! -s "$work/out" ] || not_ok "and prints nothing: $sentence"
}

# tls_server NAME NBDKIT-ARGUMENT...: starts nbdkit with that certificate
tls_server()
{
	pki_use "$pki" "$1" "$work/server-$1"
	dir=$work/server-$1
	shift
	serve 0 --tls-certificates="$dir" "$@" memory 1M
}

pki "$pki"
ca=$pki/ca-cert.pem
pki_server "$pki" rsa rsa
pki_server "$pki" ecdsa ecdsa
pki_cert "$pki" client rsa 'cn = "client"' signing_key tls_www_client
pki "$work/others"
pki_cert "$work/others" client rsa 'cn = "client"' signing_key tls_www_client
mkdir "$work/with" "$work/without"
cp "$ca" "$pki/client-cert.pem" "$pki/client-key.pem" "$work/with"
cp "$ca" "$work/without"
printf '# users\nbob:00112233445566778899aabbccddeeff\nalice:%064d\n' 7 \
	>"$work/psk"
chmod 600 "$work/psk"

run "$nbdboot" version
expect 0 'Mbed TLS 3.6.' 'version names the library'

# ---- nbdkit ----

for kind in rsa ecdsa; do
	tls_server $kind --tls=require
	exports 'default export' "nbdkit, $kind, --tls=require" \
		"nbds://localhost:$port/?tls-certificates=$work/without"
	exports 'default export' "nbdkit, $kind, by its address" \
		-A "$ca" "nbds://127.0.0.1:$port"
	exports 'default export' "nbdkit, $kind, a host and -A" \
		-A "$ca" -p "$port" localhost
	refused 1 'nbds://' "nbdkit, $kind: nbd:// names nbds://" \
		"nbd://localhost:$port"
	tls_server $kind --tls=on
	exports 'default export' "nbdkit, $kind, --tls=on" \
		-A "$ca" "nbds://localhost:$port"
	exports 'default export' "nbdkit, $kind, --tls=on, in the clear" \
		"nbd://localhost:$port"
	tls_server $kind --tls=require --tls-verify-peer
	exports 'default export' "nbdkit, $kind, with our certificate" \
		"nbds://localhost:$port/?tls-certificates=$work/with"
	exports 'default export' "nbdkit, $kind, with -C and -K" -A "$ca" \
		-C "$pki/client-cert.pem" -K "$pki/client-key.pem" \
		"nbds://localhost:$port"
	refused 1 '(--cert, --key or tls-certificates= name ours)' \
		"nbdkit, $kind, without the certificate that it demands" \
		"nbds://localhost:$port/?tls-certificates=$work/without"
	# with TLS 1.3 it sees ours after the handshake, and only closes
	refused 1 'a certificate or a key that it trusts' \
		"nbdkit, $kind, with a certificate of others" \
		-A "$ca" -C "$work/others/client-cert.pem" \
		-K "$work/others/client-key.pem" \
		"nbds://localhost:$port"
	# its -C are connections
	run "$nbdboot" nbd-client -l -A "$ca" --cert "$pki/client-cert.pem" \
		--key "$pki/client-key.pem" localhost "$port"
	expect 0 Negotiation "nbdkit, $kind, the same options of nbd-client"
done

serve_at -U "$work/sock" --tls=require --tls-certificates="$dir" memory 1M
exports 'default export' 'nbdkit over a UNIX socket, by the name localhost' \
	-A "$ca" "nbds+unix:///?socket=$work/sock"
refused 1 'not for other.example' 'and not by another name' -A "$ca" \
	"nbds+unix:///?socket=$work/sock&tls-hostname=other.example"

serve 0 --tls=require --tls-psk="$work/psk" memory 1M
psk="nbds://alice@localhost:$port/?tls-psk-file"
exports 'default export' 'nbdkit, pre-shared key' "$psk=$work/psk"
exports 'default export' 'nbdkit, the first key of the file' \
	"nbds://localhost:$port/?tls-psk-file=$work/psk"
sed s/7/8/ "$work/psk" >"$work/psk-wrong"
sed s/alice/carol/ "$work/psk" >"$work/psk-carol"
cp "$work/psk" "$work/psk-open"
chmod 600 "$work/psk-wrong" "$work/psk-carol"
chmod 640 "$work/psk-open"
refused 1 'chmod 600' 'a pre-shared key that others can read' \
	"$psk=$work/psk-open"
refused 1 'no line dave' 'a user that the file does not have' \
	"nbds://dave@localhost:$port/?tls-psk-file=$work/psk"
refused 1 'TLS' 'certificates to a server with pre-shared keys' \
	-A "$ca" "nbds://localhost:$port"

# ---- servers that have one version ----

# without VERSION...: servers that start from now on lack these
without()
{
	printf '[overrides]\n' >"$work/priority"
	[ $# = 0 ] || printf 'disabled-version = tls%s\n' "$@" \
		>>"$work/priority"
	GNUTLS_SYSTEM_PRIORITY_FILE=$work/priority
	export GNUTLS_SYSTEM_PRIORITY_FILE
}

# has TEXT SENTENCE ARGUMENT...: info prints it
has()
{
	text=$1 sentence=$2
	shift 2
	run "$nbdboot" info "$@"
	expect 0 "$text" "$sentence"
}

# in_each_version COMMAND...: with servers that start by it, which have TLS 1.3,
# and then lack it
in_each_version()
{
	with=
	"$@"
	with=', TLS 1.2'
	without 1.3
	"$@"
	unset GNUTLS_SYSTEM_PRIORITY_FILE
}

# refuses_psk: each key that is wrong
refuses_psk()
{
	serve 0 --tls=require --tls-psk="$work/psk" memory 1M
	refused 1 'user name and key' "a wrong pre-shared key$with" \
		"nbds://alice@localhost:$port/?tls-psk-file=$work/psk-wrong"
	refused 1 'user name and key' "a user whom the server lacks$with" \
		"nbds://carol@localhost:$port/?tls-psk-file=$work/psk-carol"
}
in_each_version refuses_psk

for kind in rsa ecdsa; do
	without 1.3
	tls_server "$kind" --tls=require
	has 'TLS 1.2, TLS-ECDHE-' "TLS 1.2 alone, $kind" -A "$ca" \
		"nbds://localhost:$port"
	without 1.0 1.1 1.2
	tls_server "$kind" --tls=require
	has 'TLS 1.3, TLS1-3-' "TLS 1.3 alone, $kind" -A "$ca" "nbds://localhost:$port"
done
refused 1 'not signed by a CA' 'TLS 1.3 alone, another CA' \
	"nbds://localhost:$port"
serve 0 --tls=require --tls-psk="$work/psk" memory 1M
has 'TLS 1.3, TLS1-3-' 'TLS 1.3 alone, a pre-shared key' \
	"nbds://alice@localhost:$port/?tls-psk-file=$work/psk"
without 1.3
serve 0 --tls=require --tls-psk="$work/psk" memory 1M
has 'TLS 1.2, TLS-ECDHE-PSK-' 'TLS 1.2 alone, a pre-shared key' \
	"nbds://alice@localhost:$port/?tls-psk-file=$work/psk"
unset GNUTLS_SYSTEM_PRIORITY_FILE

# ---- info: requests and replies are TLS records ----

tls_server ecdsa --tls=require
run "$nbdboot" info -A "$ca" "nbds://localhost:$port"
expect 0 'TLS 1.3, TLS1-3-' 'info shows version and suite'
run "$nbdboot" info --json -A "$ca" "nbds://localhost:$port"
if [ "$(jq .tls "$work/out")" = true ]; then
	ok 'info --json shows it too'
else
	not_ok 'info --json shows it too'
fi
run "$nbdboot" info --map -A "$ca" "nbds://localhost:$port"
expect 0 1048576 'info --map asks through TLS'
run "$nbdboot" info "nbds://localhost:$port"
expect 1 'not signed by a CA' 'info verifies the server'

# ---- copy, 1 and 4 connections, certificates and a pre-shared key ----

dd if=/dev/urandom of="$work/random" bs=1M count=16 status=none
# copies SENTENCE URI [OPTION...]: copies to the server and back
copies()
{
	sentence=$1 uri=$2
	shift 2
	for n in 1 4; do
		rm -f "$work/back"
		run "$nbdboot" copy -c $n "$@" "$work/random" "$uri"
		expect 0 '' "copy to $sentence, connections: $n"
		run "$nbdboot" copy -c $n "$@" "$uri" "$work/back"
		expect 0 '' "copy from $sentence, connections: $n"
	done
	run "$nbdboot" copy "$@" "$uri" "$work/back-4"
	if cmp -s "$work/random" "$work/back" &&
		cmp -s "$work/random" "$work/back-4"; then
		ok "what is copied by $sentence comes back"
	else
		not_ok "what is copied by $sentence comes back"
		show "$work/err"
	fi
	rm -f "$work/back-4"
}
for kind in rsa ecdsa; do
	serve 0 --tls=require --tls-certificates="$work/server-$kind" memory 16M
	copies "nbdkit, $kind" "nbds://localhost:$port" -A "$ca"
done
serve 0 --tls=require --tls-psk="$work/psk" memory 16M
copies 'nbdkit, a pre-shared key' \
	"nbds://alice@localhost:$port/?tls-psk-file=$work/psk"

# A server that is killed in the middle, and comes back: one with TLS loses all
# that was written to its memory.

# of_plugin PORT [RATE]: a server of $plugin
of_plugin()
{
	# shellcheck disable=SC2086 # words on purpose
	serve "$1" --tls=require --tls-certificates="$work/server-ecdsa" \
		${2+--filter=rate} $plugin ${2+rate="$2"}
}

# outlives SENTENCE SOURCE DESTINATION: kills the server when the copy has printed
# that some bytes are copied.  Its first lines may say that nothing was answered yet.
outlives()
{
	sentence=$1 text=' [1-9][0-9]* of 16777216 bytes'
	shift
	: >"$work/err"
	"$nbdboot" copy --progress -q 2 -A "$ca" "$@" 2>>"$work/err" &
	copy=$!
	until grep -q "$text" "$work/err" || ! runs "$copy"; do sleep 0.05; done
	unserve
	until grep -q 'waiting for' "$work/err" || ! runs "$copy"; do
		sleep 0.05
	done
	of_plugin "$port"
	status=0
	wait "$copy" || status=$?
	: >"$work/out"
	expect 0 "answers again" "$sentence"
}

plugin='memory 16M'
of_plugin 0 2M
uri=nbds://localhost:$port
outlives 'a destination with TLS may be away' "$work/random" "$uri"
run "$nbdboot" copy -A "$ca" "$uri" "$work/back"
check 'and has what it lost' cmp -s "$work/random" "$work/back"
unserve
plugin="file $work/random"
of_plugin 0 2M
outlives 'a source with TLS may be away' "nbds://localhost:$port" "$work/back"
check 'and all of it is copied' cmp -s "$work/random" "$work/back"

# TLS on both sides, each with credentials of its own: two CAs and a key

pki "$work/ca2"
pki_server "$work/ca2" second ecdsa
pki_use "$work/ca2" second "$work/server-second"
mkdir "$work/only2"
cp "$work/ca2/ca-cert.pem" "$work/only2"
serve 0 --tls=require --tls-certificates="$work/server-rsa" memory 16M
first="nbds://localhost:$port/?tls-certificates=$work/without"
serve 0 --tls=require --tls-certificates="$work/server-second" memory 16M
second="nbds://localhost:$port/?tls-certificates=$work/only2"
wrong="nbds://localhost:$port/?tls-certificates=$work/without"
serve 0 --tls=require --tls-psk="$work/psk" memory 16M
third="nbds://alice@localhost:$port/?tls-psk-file=$work/psk"
run "$nbdboot" copy "$work/random" "$first"
expect 0 '' 'copy to a server of one CA'
run "$nbdboot" copy -c 4 --verify "$first" "$second"
expect 0 '' 'copy from there to a server of another CA'
run "$nbdboot" copy "$second" "$third"
expect 0 '' 'copy from there to one with a pre-shared key'
run "$nbdboot" copy "$third" "$work/back"
if [ "$status" = 0 ] && cmp "$work/random" "$work/back" >"$work/err" 2>&1; then
	ok 'what went through three servers is what was sent'
else
	not_ok 'what went through three servers is what was sent'
	show "$work/err"
fi
run "$nbdboot" copy "$first" "$wrong"
expect 1 'not signed by a CA' 'the CA of one side is not trusted on the other'

# ---- qemu-nbd ----

truncate -s 1M "$work/disk"
# qemu_nbd CREDENTIALS [ARGUMENT...]
qemu_nbd()
{
	free=$(free_port) creds=$1
	shift
	daemon_at "$free" qemu-nbd -p "$free" -b 127.0.0.1 -t -f raw -x disk0 \
		--object "$creds,id=t,endpoint=server" --tls-creds t "$@" \
		"$work/disk"
}
for cipher in AES-128-GCM AES-256-GCM CHACHA20-POLY1305; do
	only=NORMAL:-CIPHER-ALL:+$cipher
	qemu_nbd "tls-creds-x509,dir=$dir,verify-peer=no,priority=$only"
	exports disk0 "qemu-nbd, $cipher" -A "$ca" "nbds://localhost:$free"
done
only=NORMAL:-CIPHER-ALL:+AES-128-CBC
qemu_nbd "tls-creds-x509,dir=$dir,verify-peer=no,priority=$only"
refused 1 'TLS handshake' 'qemu-nbd with a cipher that no kernel TLS takes' \
	-A "$ca" "nbds://localhost:$free"
qemu_nbd "tls-creds-x509,dir=$dir,verify-peer=yes"
exports disk0 'qemu-nbd, with our certificate' \
	"nbds://localhost:$free/?tls-certificates=$work/with"
# the handshake of TLS 1.3 is over when it refuses us
refused 1 'rejects the client certificate' 'qemu-nbd, without it' \
	"nbds://localhost:$free/?tls-certificates=$work/without"
mkdir "$work/qemu-psk"
grep alice "$work/psk" >"$work/qemu-psk/keys.psk"
qemu_nbd "tls-creds-psk,dir=$work/qemu-psk"
exports disk0 'qemu-nbd, pre-shared key' \
	"nbds://alice@localhost:$free/?tls-psk-file=$work/psk"
for version in 1.0 1.1; do
	qemu_nbd "tls-creds-x509,dir=$dir,verify-peer=no,priority=NORMAL:-VERS-ALL:+VERS-TLS$version"
	refused 1 'TLS' "qemu-nbd with TLS $version alone" \
		-A "$ca" "nbds://localhost:$free"
done

# ---- nbd-server ----

nbd_server()
{
	free=$(free_port)
	cat >"$work/nbd.conf" <<END
[generic]
listenaddr = 127.0.0.1
port = $free
allowlist = true
force_tls = true
certfile = $dir/server-cert.pem
keyfile = $dir/server-key.pem
cacertfile = $ca
[first]
exportname = $work/disk
END
	nbd_server_at "$free" "$work/nbd.conf"
}
nbd_server
exports first 'nbd-server, with our certificate' \
	"nbds://localhost:$free/?tls-certificates=$work/with"
refused 1 'nbds://' 'nbd-server with force_tls, nbd://' "nbd://localhost:$free"

# ---- copies to these, and back ----

truncate -s 16M "$work/disk"
for version in 1.2 1.3; do
	only=NORMAL:-VERS-ALL:+VERS-TLS$version
	qemu_nbd "tls-creds-x509,dir=$dir,verify-peer=no,priority=$only" -e 4
	copies "qemu-nbd, TLS $version" "nbds://localhost:$free/disk0" -A "$ca"
	qemu_nbd "tls-creds-psk,dir=$work/qemu-psk,priority=$only:+ECDHE-PSK" -e 4
	copies "qemu-nbd, a pre-shared key, TLS $version" \
		"nbds://alice@localhost:$free/disk0?tls-psk-file=$work/psk"
done
nbd_server
copies 'nbd-server' \
	"nbds://localhost:$free/first?tls-certificates=$work/with"

# ---- what OpenSSL still has, and we do not ----

# greet PORT: a server of NBD up to STARTTLS, and then the one of that port.  Sets
# free.
greet()
{
	free=$(free_port)
	printf 'NBDMAGICIHAVEOPT\0\3' >"$work/greeting"
	printf '\0\3\350\211\4\125\145\251\0\0\0\5\0\0\0\1\0\0\0\0' \
		>"$work/ack"
	daemon_at "$free" socat \
		"TCP-LISTEN:$free,bind=127.0.0.1,reuseaddr,fork" \
		SYSTEM:"cat $work/greeting; head -c 20 >/dev/null; cat $work/ack; exec socat - TCP\:127.0.0.1\:$1"
}

# openssl_server ARGUMENT...: a server of NBD up to STARTTLS, and of OpenSSL then
openssl_server()
{
	inner=$(free_port)
	daemon_at "$inner" openssl s_server -accept "127.0.0.1:$inner" -quiet \
		-cert "$work/server-rsa/server-cert.pem" \
		-key "$work/server-rsa/server-key.pem" "$@"
	greet "$inner"
}

# lacks SENTENCE ARGUMENT...: a server that has nothing but that
lacks()
{
	sentence=$1
	shift
	openssl_server "$@"
	refused 1 'TLS handshake' "$sentence" -A "$ca" "nbds://localhost:$free"
}
old='-tls1_2 -cipher'
for suite in AES128-GCM-SHA256 AES256-SHA; do
	# shellcheck disable=SC2086 # words on purpose
	lacks "OpenSSL with RSA key exchange: $suite" $old $suite@SECLEVEL=0
done
for suite in ECDHE-RSA-AES128-SHA ECDHE-RSA-AES256-SHA384; do
	# shellcheck disable=SC2086 # words on purpose
	lacks "OpenSSL with CBC: $suite" $old $suite@SECLEVEL=0
done
# shellcheck disable=SC2086 # words on purpose
lacks 'OpenSSL with a key exchange that has no curve' $old \
	DHE-RSA-AES128-GCM-SHA256
lacks 'OpenSSL with TLS 1.1' -tls1_1 -cipher ALL@SECLEVEL=0
lacks 'OpenSSL with a cipher of TLS 1.3 that is not GCM' -tls1_3 \
	-ciphersuites TLS_AES_128_CCM_SHA256
# and it gets as far as its certificate with what we have
for suite in ECDHE-RSA-AES128-GCM-SHA256 ECDHE-RSA-CHACHA20-POLY1305; do
	# shellcheck disable=SC2086 # words on purpose
	openssl_server $old $suite
	refused 1 'not signed by a CA' "OpenSSL with $suite gets further" \
		"nbds://localhost:$free"
done

# openssl_nbdkit PORT ARGUMENT...: once, with the nbdkit at that port behind it.
# No greeting follows STARTTLS, so that of nbdkit is taken and answered here.
openssl_nbdkit()
{
	behind=$1
	shift
	inner=$(free_port)
	rm -f "$work/decrypted" "$work/answers"
	mkfifo "$work/decrypted" "$work/answers"
	{
		printf '\0\0\0\3'
		cat "$work/decrypted"
	} | socat -t 5 - "TCP:127.0.0.1:$behind" | {
		head -c 18 >/dev/null
		exec cat
	} >"$work/answers" &
	servers="$servers $!"
	# shellcheck disable=SC2016 # expanded by the inner shell
	daemon_at "$inner" sh -c 'exec "$@" <"$0/answers" >"$0/decrypted"' \
		"$work" openssl s_server -accept "127.0.0.1:$inner" -quiet \
		-naccept 1 -cert "$work/server-rsa/server-cert.pem" \
		-key "$work/server-rsa/server-key.pem" "$@"
	greet "$inner"
}

# openssl_copies SENTENCE ARGUMENT...: to such a server, and back
openssl_copies()
{
	sentence=$1
	shift
	serve 0 memory 16M
	store=$port
	openssl_nbdkit "$store" "$@"
	run "$nbdboot" copy -c 1 -A "$ca" "$work/random" "nbds://localhost:$free"
	expect 0 '' "copy to OpenSSL, $sentence"
	openssl_nbdkit "$store" "$@"
	rm -f "$work/back"
	run "$nbdboot" copy -c 1 -A "$ca" "nbds://localhost:$free" "$work/back"
	expect 0 '' "copy from OpenSSL, $sentence"
	check 'and it is the same' cmp -s "$work/random" "$work/back"
}
for suite in ECDHE-RSA-AES128-GCM-SHA256 ECDHE-RSA-AES256-GCM-SHA384 \
	ECDHE-RSA-CHACHA20-POLY1305; do
	# shellcheck disable=SC2086 # words on purpose
	openssl_copies "TLS 1.2, $suite" $old $suite
done
openssl_copies 'TLS 1.3 alone' -tls1_3
openssl_copies 'TLS 1.2 and 1.3'

# ---- certificates that are refused ----

# refuses_cert NAME TEXT SENTENCE [CA]: the certificate of that name
refuses_cert()
{
	authority=${4-$ca} because=$2 what=$3
	tls_server "$1" --tls=require
	refused 1 "$because" "$what$with" -A "$authority" \
		"nbds://localhost:$port"
}

refuse_cert()
{
	text=$1 sentence=$2 name=$3
	shift 3
	pki_cert "$pki" "$name" ecdsa "$@"
	in_each_version refuses_cert "$name" "$text" "$sentence"
}
good='dns_name = "localhost"'
refuse_cert 'expired since 2021-03-04' 'an expired certificate' expired \
	'cn = "x"' "$good" tls_www_server signing_key \
	'activation_date = "2020-03-04 12:00:00"' \
	'expiration_date = "2021-03-04 12:00:00"'
refuse_cert 'not valid before 2091-03-04' 'a certificate of the future' \
	future 'cn = "x"' "$good" tls_www_server signing_key \
	'activation_date = "2091-03-04 12:00:00"' \
	'expiration_date = "2092-03-04 12:00:00"'
refuse_cert 'is for other.example, not for localhost' \
	'a certificate for another name, with both names in the message' other 'cn = "x"' \
	'dns_name = "other.example"' tls_www_server signing_key
refuse_cert 'is for other.example, not for localhost' \
	'the common name does not count beside other names' both \
	'cn = "localhost"' 'dns_name = "other.example"' tls_www_server \
	signing_key
refuse_cert 'serverAuth' 'a certificate for clients' clients 'cn = "x"' \
	"$good" tls_www_client signing_key
pki_cert "$pki" named ecdsa 'cn = "x"' "$good" tls_www_server signing_key
tls_server named --tls=require
refused 1 'is for localhost, not for 127.0.0.1' \
	'a certificate for the name, where the address was given' \
	-A "$ca" "nbds://127.0.0.1:$port"
exports 'default export' 'unless tls-hostname= says the name' \
	-A "$ca" "nbds://127.0.0.1:$port/?tls-hostname=localhost"
pki_cert "$pki" wild ecdsa 'cn = "x"' 'dns_name = "*.example.com"' \
	tls_www_server signing_key
tls_server wild --tls=require
exports 'default export' 'a wildcard' -A "$ca" \
	"nbds://127.0.0.1:$port/?tls-hostname=srv.example.com"
refused 1 'for *.example.com, not for a.srv.example.com' \
	'a wildcard is for one label' \
	-A "$ca" "nbds://127.0.0.1:$port/?tls-hostname=a.srv.example.com"

pki "$work/other-ca"
in_each_version refuses_cert ecdsa 'not signed by a CA' 'the wrong CA' \
	"$work/other-ca/ca-cert.pem"
tls_server ecdsa --tls=require
refused 1 'not signed by a CA' "the system's CAs, where none is named" \
	"nbds://localhost:$port"
exports 'default export' 'anything goes with tls-verify-peer=0' \
	"nbds://localhost:$port/?tls-verify-peer=0"
mkdir "$work/self"
cp "$pki/ecdsa-key.pem" "$work/self/server-key.pem"
printf '%s\n' 'cn = "localhost"' "$good" tls_www_server signing_key \
	'expiration_days = 9' >"$work/template"
certtool --generate-self-signed --load-privkey "$work/self/server-key.pem" \
	--template "$work/template" --outfile "$work/self/server-cert.pem" \
	2>/dev/null
cp "$ca" "$work/self"
serve 0 --tls=require --tls-certificates="$work/self" memory 1M
refused 1 'signed by itself' 'a self-signed certificate' -A "$ca" \
	"nbds://localhost:$port"

# CAs below a good one, which mbedTLS itself would take
below()
{
	name=$1 status=$2 text=$3 sentence=$4
	shift 4
	pki_ca "$pki" "$name" "$@"
	mkdir "$work/pki-$name"
	cp "$pki/$name-cert.pem" "$work/pki-$name/ca-cert.pem"
	cp "$pki/$name-key.pem" "$work/pki-$name/ca-key.pem"
	pki_server "$work/pki-$name" srv ecdsa
	pki_use "$work/pki-$name" srv "$work/server-$name"
	cat "$pki/$name-cert.pem" >>"$work/server-$name/server-cert.pem"
	cp "$ca" "$work/server-$name/"
	serve 0 --tls=require --tls-certificates="$work/server-$name" memory 1M
	run "$nbdboot" exports -A "$ca" "nbds://localhost:$port"
	expect "$status" "$text" "$sentence"
}
# a CA of ours that names itself CA: DER is the number in place of the boolean
yes='basicConstraints = critical, CA:TRUE'
below plain 0 'default export' 'a CA below the one that is trusted' "$yes"
below limited 1 'nameConstraints' 'a CA that is limited to other names' \
	"$yes" 'nameConstraints = permitted;DNS:example.com'
below within 1 'nameConstraints' 'and to this name: it cannot be checked' \
	"$yes" 'nameConstraints = permitted;DNS:localhost'
below forged 1 'basicConstraints' 'a CA by the length of its path alone' \
	'basicConstraints = critical, DER:30:03:02:01:01'

# ---- SHA-1, of which certificates can be forged ----

old=$work/sha1
PKI_HASH=SHA1 pki "$old"
pki_server "$old" new ecdsa
PKI_HASH=SHA1 pki_server "$old" weak ecdsa
for kind in new weak; do
	pki_use "$old" $kind "$work/server-$kind"
	serve 0 --tls=require --tls-certificates="$work/server-$kind" memory 1M
	run "$nbdboot" exports -A "$old/ca-cert.pem" "nbds://localhost:$port"
	case $kind in
	new) expect 0 'default export' 'a CA that signed itself with SHA-1' ;;
	weak) expect 1 'a hash that is too weak (MD5 or SHA-1)' \
		'a certificate that it signed with SHA-1' ;;
	esac
done

# ---- our own credentials ----

tls_server ecdsa --tls=require
refused 1 '/nonexistent' 'a CA file that is not there' -A /nonexistent \
	"nbds://localhost:$port"
refused 1 'has no PEM lines' 'a CA file that is none' -A "$work/psk" \
	"nbds://localhost:$port"
refused 1 'is not the key of' 'a key of another certificate' -A "$ca" \
	-C "$pki/client-cert.pem" -K "$pki/rsa-key.pem" "nbds://localhost:$port"
cp "$pki/client-key.pem" "$work/open-key.pem"
chmod 604 "$work/open-key.pem"
refused 1 'chmod 600' 'a private key that others can read' -A "$ca" \
	-C "$pki/client-cert.pem" -K "$work/open-key.pem" \
	"nbds://localhost:$port"
openssl rsa -in "$pki/client-key.pem" -aes128 -passout pass:x \
	-out "$work/encrypted" 2>/dev/null
refused 1 'encrypted' 'a key with a password' -A "$ca" \
	-C "$pki/client-cert.pem" -K "$work/encrypted" "nbds://localhost:$port"
refused 2 'without its' '-C without -K' -A "$ca" -C "$pki/client-cert.pem" \
	"nbds://localhost:$port"
refused 2 'use one of the two' 'certificates and a pre-shared key' -A "$ca" \
	"nbds://localhost:$port/?tls-psk-file=$work/psk"
refused 2 'tls-psk-file=' 'tls-type=psk without a file' \
	"nbds://localhost:$port/?tls-type=psk"
refused 2 'anon' 'tls-type=anon' "nbds://localhost:$port/?tls-type=anon"
refused 2 'nbds://' '-A and nbd://' -A "$ca" "nbd://localhost:$port"
refused 2 'nbds://' 'nbd:// with keys for TLS' \
	"nbd://localhost:$port/?tls-verify-peer=1"

# ---- never in the clear ----

serve 0 --tls=off memory 1M
refused 1 'does not offer TLS' 'a server without TLS' -A "$ca" \
	"nbds://localhost:$port"
serve 0 -o memory 1M
refused 1 'does not offer TLS' 'an oldstyle server' -A "$ca" \
	"nbds://localhost:$port"
serve 0 --mask-handshake=0 memory 1M
refused 1 'does not offer TLS' 'a server without fixed newstyle' -A "$ca" \
	"nbds://localhost:$port"

# s: a server that sees no end is a failure
limit=900

# fake ANSWER: a server that answers STARTTLS with it, and records what it gets.
# Its greeting has both flags; the client sends 20 bytes up to STARTTLS.
fake()
{
	free=$(free_port)
	{
		printf 'NBDMAGICIHAVEOPT\0\3'
		printf '\0\3\350\211\4\125\145\251\0\0\0\5'
		printf "$1"
	} >"$work/answer"
	rm -f "$work/all"
	# -t: it ends its shell so long after the client's end, which is half a
	# second without it
	daemon_at "$free" socat -t "$limit" \
		"TCP-LISTEN:$free,bind=127.0.0.1,reuseaddr" \
		SYSTEM:"head -c 18 $work/answer; head -c 20 >$work/sent; tail -c +19 $work/answer; cat >>$work/sent; touch $work/all"
}
# quiet SENTENCE: the client sent nothing after STARTTLS but TLS records
quiet()
{
	until [ -e "$work/all" ] || ! runs "$server"; do sleep 0.05; done
	if [ ! -e "$work/all" ]; then
		not_ok "$1: the server has not seen the end"
	elif tail -c +21 "$work/sent" | head -c 1 | tr '\26\25' '..' |
		grep -q '[^.]'; then
		not_ok "$1: something was sent in the clear"
	else
		ok "$1: nothing was sent in the clear"
	fi
}
for error in 1:UNSUP 2:POLICY 3:INVALID 4:PLATFORM 7:SHUTDOWN; do
	fake "\\200\\0\\0\\${error%:*}\\0\\0\\0\\0"
	refused 1 'TLS' "STARTTLS is answered with ERR_${error#*:}" -A "$ca" \
		"nbds://localhost:$free"
	quiet "ERR_${error#*:}"
done
# an ACK, followed by a reply in the clear that ends a list
fake '\0\0\0\1\0\0\0\0\0\3\350\211\4\125\145\251\0\0\0\3\0\0\0\1\0\0\0\0'
refused 1 'is not TLS' 'plaintext behind the reply to STARTTLS' -A "$ca" \
	"nbds://localhost:$free"
quiet 'plaintext behind the reply'

finish
