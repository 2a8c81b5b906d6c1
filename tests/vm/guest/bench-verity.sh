# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The part of bench/verity.sh in the machine, sourced by guest/init.sh: reads of
# one device, plain, with the kernel's TLS, and below dm-verity.  Prints lines
#	read KIND NANOSECONDS
#	by KIND DRIVER
# A nanosecond that is not idle is one instruction of this machine.

modprobe -a virtio_pci virtio_net sha256_ssse3 dm_verity tls gcm aesni_intel \
	2>/dev/null
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
mib=$(word mib)

# Nanoseconds, to 10^7, that the CPU was busy since the start.
busy()
{
	awk '{ print ($1 - $2) * 1e9 }' /proc/uptime
}

# timed KIND DEVICE: after a small read, reads of 128 KiB past the page cache
timed()
{
	must dd if="$2" of=/dev/null bs=128k count=8 iflag=direct
	before=$(busy)
	must dd if="$2" of=/dev/null bs=128k count=$((mib * 8)) iflag=direct
	echo "read $1 $(busy | awk -v before="$before" '{
		printf "%.0f\n", $1 - before }')"
}

# by KIND PATTERN: the code that is in use for it
by()
{
	echo "by $1 $(awk -v pattern="$2" '$1 == "name" { name = $3 }
		$1 == "driver" { driver = $3 }
		$1 == "refcnt" && name ~ pattern && $3 > 1 { print driver }
		' /proc/crypto | head -n 1)"
}

# the hash tree is behind the data
plain=nbd://10.0.2.2:$(word plain) secret=nbds://10.0.2.2:$(word tls)
for round in $(seq "$(word rounds)"); do
	must nbdboot connect -c 1 -d nbd0 "$plain"
	timed plain /dev/nbd0
	must veritysetup open /dev/nbd0 verified /dev/nbd0 "$(word hash)" \
		--hash-offset="$(word size)"
	timed verity /dev/dm-0
	[ "$round" != 1 ] || by verity '^sha256$'
	must veritysetup close verified
	must nbdboot disconnect nbd0
	must nbdboot connect -c 1 -d nbd0 -A /tls/ca-cert.pem "$secret"
	timed tls /dev/nbd0
	[ "$round" != 1 ] || by tls '^gcm[(]aes[)]$'
	must nbdboot disconnect nbd0
done
