# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes certificates and keys.  Sourced.
#
#   pki DIR                 a CA, in ca-cert.pem and ca-key.pem
#   pki_cert DIR NAME TYPE LINE...
#                           NAME-cert.pem and NAME-key.pem, signed by that CA;
#                           TYPE is rsa or ecdsa, each LINE is for certtool's
#                           template

pki_key()
{
	case $2 in
	rsa) certtool --generate-privkey --key-type=rsa --bits=2048 \
		--outfile "$1" 2>/dev/null ;;
	*) certtool --generate-privkey --key-type="$2" --curve=secp256r1 \
		--outfile "$1" 2>/dev/null ;;
	esac || {
		echo "pki: certtool makes no key $1 (make deps)" >&2
		exit 1
	}
}

pki()
{
	mkdir -p "$1"
	pki_key "$1/ca-key.pem" ecdsa
	printf '%s\n' 'cn = "a test CA"' ca cert_signing_key \
		'expiration_days = 30' >"$1/template"
	certtool --generate-self-signed --load-privkey "$1/ca-key.pem" \
		--hash "${PKI_HASH:-SHA256}" \
		--template "$1/template" --outfile "$1/ca-cert.pem" 2>/dev/null
}

# PKI_HASH is for the signatures of pki and pki_cert.
pki_cert()
{
	pki_dir=$1 pki_name=$2
	pki_key "$1/$2-key.pem" "$3"
	shift 3
	printf '%s\n' "$@" >"$pki_dir/template"
	grep -q '^expiration' "$pki_dir/template" ||
		echo 'expiration_days = 20' >>"$pki_dir/template"
	certtool --generate-certificate --template "$pki_dir/template" \
		--load-privkey "$pki_dir/$pki_name-key.pem" \
		--load-ca-certificate "$pki_dir/ca-cert.pem" \
		--load-ca-privkey "$pki_dir/ca-key.pem" \
		--hash "${PKI_HASH:-SHA256}" \
		--outfile "$pki_dir/$pki_name-cert.pem" 2>/dev/null || {
		echo "pki: certtool makes no certificate $pki_name" >&2
		exit 1
	}
}

# pki_server DIR NAME TYPE [LINE...]: a certificate for servers of the tests
pki_server()
{
	pki_dir=$1 pki_name=$2 pki_type=$3
	shift 3
	pki_cert "$pki_dir" "$pki_name" "$pki_type" 'cn = "server"' \
		'dns_name = "localhost"' 'ip_address = "127.0.0.1"' \
		'ip_address = "10.0.2.2"' signing_key tls_www_server "$@"
}

# pki_ca DIRECTORY NAME LINE...: NAME-cert.pem and NAME-key.pem, a CA that the
# CA there signed; each LINE is one of openssl's extensions.
pki_ca()
{
	pki_dir=$1 pki_name=$2
	pki_key "$1/$2-key.pem" ecdsa
	shift 2
	printf '%s\n' 'keyUsage = critical, keyCertSign' "$@" \
		>"$pki_dir/extensions"
	openssl req -new -key "$pki_dir/$pki_name-key.pem" -subj "/CN=$pki_name" |
		openssl x509 -req -days 20 -CA "$pki_dir/ca-cert.pem" \
			-CAkey "$pki_dir/ca-key.pem" -set_serial 7 \
			-extfile "$pki_dir/extensions" \
			-out "$pki_dir/$pki_name-cert.pem" 2>/dev/null || {
		echo "pki: openssl makes no CA $pki_name" >&2
		exit 1
	}
}

# pki_use DIR NAME TO: makes the directory TO for nbdkit, as the server NAME
pki_use()
{
	mkdir -p "$3"
	cp "$1/ca-cert.pem" "$3/"
	cp "$1/$2-cert.pem" "$3/server-cert.pem"
	cp "$1/$2-key.pem" "$3/server-key.pem"
}
