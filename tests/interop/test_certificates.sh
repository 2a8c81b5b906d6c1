#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Certificates and keys as they are in the wild: what cannot be used is named,
# with the reason and the remedy: test_certificates.sh BUILD
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/pki.sh
. "${0%/*}/../pki.sh"
nbdboot=$O/nbdboot
cd "$work"
umask 077

# says TEXT SENTENCE NBDBOOT-ARGUMENT...
says()
{
	text=$1 sentence=$2
	shift 2
	run "$nbdboot" info "$@"
	expect 1 "$text" "$sentence"
}

# quiet COMMAND...: must succeed, and its output is shown only if not
quiet()
{
	"$@" >log 2>&1 || die "$* failed: $(cat log)"
}

# cert NAME OPENSSL-REQ-ARGUMENT...: NAME.pem, signed by its own key NAME.key
cert()
{
	name=$1
	shift
	quiet openssl req -x509 -subj /CN=client -days 9 -nodes \
		-keyout "$name.key" -out "$name.pem" "$@"
}

pki pki
pki_server pki server ecdsa
pki_use pki server server
serve 0 --tls=require --tls-certificates="$work/server" memory 1M
uri=nbds://localhost:$port
ca=pki/ca-cert.pem
cert good -newkey ec -pkeyopt ec_paramgen_curve:P-256

# cert_says TEXT SENTENCE FILE: as our certificate, and as the CA
cert_says()
{
	says "$3 $1" "our certificate $2" -A $ca -C "$3" -K good.key "$uri"
	says "$3 $1" "a CA $2" -A "$3" "$uri"
}

# ---- certificates ----

cert ed25519 -newkey ed25519
cert_says 'is signed with an algorithm that is not supported here' \
	'that is signed with Ed25519' ed25519.pem
quiet openssl req -new -key ed25519.key -subj /CN=client -out ed25519.csr
quiet openssl x509 -req -in ed25519.csr -CA good.pem -CAkey good.key \
	-set_serial 3 -out mixed.pem
cert_says 'has a key that is neither RSA nor ECDSA' \
	'whose key is Ed25519 and which an ECDSA key signed' mixed.pem
cert curve -newkey ec -pkeyopt ec_paramgen_curve:secp256k1
cert_says 'has a key on a curve that is not supported here' \
	'on the curve secp256k1' curve.pem
cert pss -newkey rsa:2048 -sigopt rsa_padding_mode:pss \
	-addext subjectAltName=DNS:localhost
mkdir pss
cp pss.pem pss/server-cert.pem
cp pss.key pss/server-key.pem
cp $ca pss
cert critical -key good.key -addext '1.2.3.4=critical,ASN1:UTF8String:x'
cert_says 'has an extension that is malformed, or critical' \
	'with a critical extension that nobody knows' critical.pem
sed '3s/^./!/' good.pem >damaged.pem
cert_says 'has damaged base64 lines' 'with a damaged line' damaged.pem
{
	echo '-----BEGIN CERTIFICATE-----'
	echo 'not a certificate at all' | openssl base64
	echo '-----END CERTIFICATE-----'
} >other.pem
cert_says 'is not an X.509 certificate, or is damaged' \
	'that is something else' other.pem
quiet openssl x509 -in good.pem -trustout -out trusted.pem
cert_says "is in OpenSSL's own format" "in OpenSSL's own format" trusted.pem
cert_says 'is a request for a certificate' 'that is a request' ed25519.csr
quiet openssl crl2pkcs7 -nocrl -certfile good.pem -out good.p7b
cert_says 'is a PKCS #7 container' 'in a container' good.p7b
cert_says 'holds a private key, where a certificate is needed' \
	'that is a key' good.key
: >empty
cert_says 'has no PEM lines' 'that is an empty file' empty

# ---- keys ----

key_says()
{
	says "$3 $1" "a key $2" -A $ca -C good.pem -K "$3" "$uri"
}
quiet openssl pkey -in good.key -aes256 -passout pass:x -out pkcs8.key
key_says 'is encrypted' 'that is encrypted (PKCS #8)' pkcs8.key
quiet openssl ec -in good.key -aes256 -passout pass:x -out old.key
key_says 'is encrypted' "that is encrypted (OpenSSL's old form)" old.key
says 'nobody is there to type a password' 'and what to do' -A $ca -C good.pem \
	-K old.key "$uri"
key_says 'has a key that is neither RSA nor ECDSA' 'of Ed25519' ed25519.key
key_says 'has a key on a curve that is not supported' 'on secp256k1' curve.key
key_says 'holds a certificate, where a private key' 'that is a certificate' \
	good.pem
quiet openssl pkey -in good.key -pubout -out public.key
key_says 'holds a public key' 'that is the public one' public.key
sed '2s/^./!/' good.key >damaged.key
key_says 'has damaged base64 lines' 'with a damaged line' damaged.key
{
	echo '-----BEGIN OPENSSH PRIVATE KEY-----'
	echo '-----END OPENSSH PRIVATE KEY-----'
} >openssh.key
key_says "is a key in OpenSSH's format" "in OpenSSH's format" openssh.key
cert another -newkey ec -pkeyopt ec_paramgen_curve:P-256
says 'another.key is not the key of the certificate good.pem' \
	'a key of another certificate' -A $ca -C good.pem -K another.key "$uri"

# ---- the server's ----

serve 0 --tls=require --tls-certificates="$work/pss" memory 1M
run "$nbdboot" info -A pss.pem "nbds://localhost:$port"
expect 0 'TLS 1.3' "a server's certificate that is signed with RSA-PSS"

# server_says TEXT SENTENCE DIRECTORY HOST
server_says()
{
	serve 0 --tls=require --tls-certificates="$work/$3" memory 1M
	says "$1" "a server's certificate $2" -A "${5-$ca}" "nbds://$4:$port"
}
pki_cert pki named ecdsa 'cn = "127.0.0.1"' tls_www_server signing_key
pki_use pki named named
server_says 'needs subjectAltName=IP:127.0.0.1' \
	'that has the address as common name' named 127.0.0.1
pki_cert pki dns ecdsa 'cn = "x"' 'dns_name = "127.0.0.1"' tls_www_server \
	signing_key
pki_use pki dns dns
server_says 'needs subjectAltName=IP:127.0.0.1' \
	'that has the address as DNS name' dns 127.0.0.1
PKI_HASH=SHA1 pki_cert pki sha1 ecdsa 'cn = "x"' 'dns_name = "localhost"' \
	tls_www_server signing_key
pki_use pki sha1 sha1
server_says 'is signed with a hash that is too weak' 'signed with SHA-1' sha1 \
	localhost
pki_key pki/critical-key.pem ecdsa
quiet openssl req -new -key pki/critical-key.pem -subj /CN=localhost -out c.csr
echo '1.2.3.4=critical,ASN1:UTF8String:x' >extensions
quiet openssl x509 -req -in c.csr -CA $ca -CAkey pki/ca-key.pem -set_serial 8 \
	-extfile extensions -out pki/critical-cert.pem
pki_use pki critical critical
server_says 'or one that signed it, has an extension that is malformed' \
	'with a critical extension that nobody knows' critical localhost
certtool --generate-privkey --key-type=rsa --bits=1024 \
	--outfile pki/short-key.pem 2>/dev/null
quiet openssl req -new -key pki/short-key.pem -subj /CN=localhost -out s.csr
quiet openssl x509 -req -in s.csr -CA $ca -CAkey pki/ca-key.pem -set_serial 9 \
	-out pki/short-cert.pem
pki_use pki short short
server_says 'has a key that is too short' 'with RSA of 1024 bits' short localhost
quiet openssl genpkey -algorithm ed25519 -out pki/ed-key.pem
quiet openssl req -new -key pki/ed-key.pem -subj /CN=localhost -out e.csr
quiet openssl x509 -req -in e.csr -CA $ca -CAkey pki/ca-key.pem -set_serial 10 \
	-out pki/ed-cert.pem
pki_use pki ed ed
server_says 'may lack TLS 1.2 and 1.3, or a certificate with an RSA or ECDSA key' \
	'with a key of Ed25519' ed localhost
finish
