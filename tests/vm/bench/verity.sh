#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a verified root costs.  Debian up to its last unit, with and without its
# hash tree, in turns: the machine has one CPU, which takes a nanosecond for each
# instruction, so its time that is not idle counts instructions.  A table, of the
# medians of ROUNDS.
#
# And the time of this CPU for a MiB: SHA-256 of blocks of 4 KiB, as dm-verity
# computes it, and AES-256-GCM of records of 16 KiB, as the kernel's TLS does, by
# the code of openssl.
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/vm/verity.sh
. "$here/verity.sh"
VM_LIMIT=1800
vm_cpus=1 ACCEL=tcg,thread=single

make_debian()
{
	debian=$(sh "$here/../debian.sh" "$O/debian") || exit 1
	cp -a "$debian" "$tree"
	install -m 755 "$here/guest/distance.sh" "$tree/usr/local/sbin/guest"
	printf '%s\n' '[Service]' 'ExecStart=/usr/local/sbin/guest' \
		'[Install]' 'WantedBy=multi-user.target' \
		>"$tree/etc/systemd/system/guest.service"
	ln -s /etc/systemd/system/guest.service \
		"$tree/etc/systemd/system/multi-user.target.wants/"
	mksquashfs "$tree" "$work/plain" -quiet -no-progress -comp zstd \
		-Xcompression-level 1 -no-xattrs >/dev/null
	size=$(stat -c %s "$work/plain")
	with_tree "$image"
}

# debian KIND WORD...: a line of $work/figures: KIND, 10^9 instructions, seconds
debian()
{
	kind=$1
	shift
	vm_memory=1024 vm_start "$work/initramfs" "root=nbd://$host:$port/ \
ip=$guest_ip loglevel=4 systemd.show_status=0 nbdboot.overlay \
nbdboot.prefetch=0 $*" -icount shift=0,sleep=on
	vm_end
	set -- "$(sed -n 's/.*guest: up //p' "$work/log")" \
		"$(sed -n 's/.*guest: idle //p' "$work/log")"
	if [ ! "$1" ] || [ ! "$2" ] || said WRONG; then
		cat "$work/log" >&2
		die 'a machine did not come up'
	fi
	echo "$kind $(awk "BEGIN { print $1 - $2 }") $1" |
		tee -a "$work/figures" | sed 's/^/# /'
}

# speed CIPHER BYTES: microseconds of the CPU for a MiB
speed()
{
	openssl speed -seconds 5 -bytes "$2" -evp "$1" 2>&1 |
		sed -n 's/^Doing .* \([0-9]*\) [^ ]* in \([0-9.]*\)s$/\1 \2/p' |
		awk -v bytes="$2" '{ print $2 * 1e6 / ($1 * bytes / 1048576) }'
}

find_kernel
make_debian
initramfs "$work/initramfs" "$verity_modules" >/dev/null
serve 0 file "$image"
for round in $(seq "${ROUNDS:-1}"); do
	echo "# round $round: 10^9 instructions, seconds"
	debian without
	debian with "roothash=$roothash"
done
awk "$median"'
{ n[$1]++; busy[$1, n[$1]] = $2; up[$1, n[$1]] = $3 }
function of(v, kind,    a, i) {
	for (i = 1; i <= n[kind]; i++)
		a[i] = v[kind, i]
	return median(a, n[kind])
}
END {
	print "| Debian to multi-user | without | with verity | ratio |"
	print "|---|---|---|---|"
	a = of(busy, "without"); b = of(busy, "with")
	printf "| 10^9 instructions | %.2f | %.2f | %.3f |\n", a, b, b / a
	a = of(up, "without"); b = of(up, "with")
	printf "| seconds of that CPU, idle included | %.2f | %.2f | %.3f |\n", a,
		b, b / a
}' "$work/figures"
sha=$(speed sha256 4096) gcm=$(speed aes-256-gcm 16384)
echo
echo '| CPU | us for a MiB |'
echo '|---|---|'
awk "BEGIN { printf \"| SHA-256, 4 KiB | %.0f |\n| AES-256-GCM, 16 KiB | %.0f |\n\
| ratio | %.2f |\n\", $sha, $gcm, $sha / $gcm }"
