#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines whose root comes over TLS, with a capture of the traffic.  TAP on
# standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"
# shellcheck source=tests/tpm.sh
. "$here/../tpm.sh"

tree=$work/tree
image=$work/ext4
pki=$work/pki
vm_pcap=$work/pcap
# Text in the file system, which the machine reads.
marker=DISKLESS-ROOT-MARKER-4711

# boots SENTENCE URI WORDS [QEMU-ARGUMENT...]: boots and ends without errors;
# $work/pcap has the traffic
boots()
{
	rm -f "$work/pcap"
	sentence=$1 words="root=$2 ip=$guest_ip rw loglevel=4 $3"
	shift 3
	vm_start "$archive" "$words" "$@"
	booted "$sentence" "$root_disk ext4 rw" "$marker"
}

# packets FILTER: prints how many packets of the capture match
packets()
{
	tshark -r "$work/pcap" -d "tcp.port==$port,tls" \
		-Y "tcp.port == $port && ($1)" 2>/dev/null | wc -l
}

# nbd_packets: prints how many begin with a request or a simple reply of NBD
nbd_packets()
{
	packets 'tcp.payload[0:4] == 25:60:95:13 ||
		tcp.payload[0:4] == 67:44:66:98'
}

sealed()
{
	records=$(packets 'tls.record.content_type == 23')
	nbd=$(nbd_packets)
	text=$(grep -c -a "$marker" "$work/pcap" || true)
	if [ "$records" -gt 50 ] && [ "$nbd" = 0 ] && [ "$text" = 0 ]; then
		ok "$1: its link shows no plaintext" \
			"($records packets of application data)"
	else
		not_ok "$1: its link shows $text markers, $nbd packets of" \
			"NBD, $records packets of application data"
	fi
}

find_kernel
root_tree "$tree" guest/boot.sh
echo "$marker" >"$tree/etc/marker"
ext4_of "$tree" "$image"
mkdir "$work/tls"
pki "$pki"
pki_server "$pki" server ecdsa
pki_cert "$pki" client rsa 'cn = "client"' signing_key tls_www_client
pki_use "$pki" server "$work/server"
cp "$pki/ca-cert.pem" "$pki/client-cert.pem" "$pki/client-key.pem" "$work/tls"
printf 'alice:%064d\n' 4711 >"$work/tls/keys.psk"
packed=gzip initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4' '' "$work/tls" |
	sed 's/^/# /'
archive=$work/initramfs
mkdir "$work/unpacked"
(cd "$work/unpacked" && zcat "$work/initramfs" | cpio --quiet -id)
if [ "$(stat -c %a "$work/initramfs")" = 600 ] &&
	[ -s "$work/unpacked/etc/nbdboot/client-key.pem" ] &&
	! find "$work/unpacked/etc/nbdboot" -perm /077 | grep -q .; then
	ok 'only root can read the credentials, and the initramfs'
else
	not_ok 'only root can read the credentials, and the initramfs'
	find "$work/unpacked/etc/nbdboot" "$work/initramfs" -ls
fi

serve 0 file "$image"
boots 'a root in the clear' "nbd://$host:$port/" ''
if grep -q -a "$marker" "$work/pcap" && [ "$(nbd_packets)" -gt 50 ]; then
	ok 'in the clear its link shows the file system: the check can fail'
else
	not_ok 'in the clear its link shows the file system: the check can fail'
fi
unserve

# An initramfs without the client's key and certificate, which QEMU passes; the
# key is sealed by the machine's TPM, in which firmware has not touched PCR 11.
mkdir "$work/public"
cp "$pki/ca-cert.pem" "$work/public"
cp "$pki/client-key.pem" "$work/key"
chmod 600 "$work/key"
tpm_of_program machine
"$O/nbdboot" seal -T "$work/machine.tpm" -p 11 nbdboot.tls-key "$work/key" \
	>"$work/key.cred" || die 'nbdboot seal failed'
tpm_end
tpm_of_machine machine
serve 0 --tls=require --tls-verify-peer --tls-certificates="$work/server" \
	file "$image"
initramfs "$work/without" 'nbd virtio_net virtio_pci ext4 qemu_fw_cfg' '' \
	"$work/public" >/dev/null
archive=$work/without
# A kernel that is started as an ELF file finds no ACPI if there is a TPM.
vmlinux=$kernel
# shellcheck disable=SC2086 # words on purpose
in_qemu boots 'a root by certificates, 4 connections, a key that the TPM has sealed from fw_cfg, and a certificate from SMBIOS' \
	"nbds://$host:$port/?tls-certificates=/etc/nbdboot" \
	nbdboot.connections=4 \
	-fw_cfg "name=opt/io.systemd.credentials/nbdboot.tls-key,file=$work/key.cred" \
	-smbios "type=11,value=io.systemd.credential.binary:nbdboot.tls-cert=$(base64 -w 0 "$pki/client-cert.pem")" \
	$tpm_device
archive=$work/initramfs
sealed 'certificates'
unserve

serve 0 --tls=require --tls-psk="$work/tls/keys.psk" file "$image"
boots 'a root by a pre-shared key' \
	"nbds://alice@$host:$port/?tls-psk-file=/etc/nbdboot/keys.psk" ''
sealed 'a pre-shared key'
unserve

finish
