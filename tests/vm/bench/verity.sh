#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a verified root costs, in three tables.
#
# Boots: Debian up to its last unit, with and without its hash tree, in turns.
# Reads: a MiB of a device, plain, verified, and with the kernel's TLS.  These
# machines have one CPU, which takes a nanosecond for each instruction, so that
# their time that is not idle counts instructions; QEMU is that of Debian 13, which
# knows the SHA instructions.  Medians of ROUNDS.
#
# But one instruction for SHA takes longer than one for AES.  So the last table is
# of the CPU of this machine: its time for a MiB, by the code of Debian's kernels.
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/vm/verity.sh
. "$here/verity.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"
VM_LIMIT=1800
vm_cpus=1 ACCEL=tcg,thread=single
rounds=${ROUNDS:-1}
mib=64

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
	rm -r "$tree"
}

# debian KIND WORD...: a line of $work/figures: KIND, 10^9 instructions, seconds
debian()
{
	kind=$1
	shift
	vm_memory=1024 vm_start "$work/initramfs" "root=nbd://$host:$port/ \
ip=$guest_ip loglevel=4 $quiet_systemd nbdboot.overlay \
nbdboot.prefetch=0 $*" -icount shift=0,sleep=on
	vm_end
	set -- "$(sed -n 's/.*guest: up //p' "$work/log")" \
		"$(sed -n 's/.*guest: idle //p' "$work/log")"
	if [ ! "$1" ] || [ ! "$2" ] || said WRONG; then
		cat "$work/log" >&2
		die 'a machine did not come up'
	fi
	sed -n 's/.*guest: hashes by //p' "$work/log" >"$work/by.$kind"
	echo "$kind $(awk "BEGIN { print $1 - $2 }") $1" |
		tee -a "$work/figures" | sed 's/^/# /'
}

boots()
{
	make_debian
	initramfs "$work/initramfs" "$verity_modules" >/dev/null
	serve 0 file "$image"
	echo "# 10^9 instructions, seconds"
	for _ in $(seq "$rounds"); do
		debian without
		debian with "roothash=$roothash"
	done
	unserve
	awk "$median"'
	{ n[$1]++; busy[$1, n[$1]] = $2; up[$1, n[$1]] = $3 }
	function of(v, kind,    a, i) {
		for (i = 1; i <= n[kind]; i++)
			a[i] = v[kind, i]
		return median(a, n[kind])
	}
	END {
		a = of(busy, "without"); b = of(busy, "with")
		printf "| 10^9 instructions | %.2f | %.2f | %.3f |\n", a, b,
			b / a
		a = of(up, "without"); b = of(up, "with")
		printf "| seconds of that CPU, idle included | %.2f | %.2f | " \
			"%.3f |\n", a, b, b / a
	}' "$work/figures" >"$work/boots"
}

# A device of $mib MiB of zeros and its tree, read in a machine.
reads()
{
	truncate -s ${mib}M "$work/plain"
	size=$((mib << 20))
	with_tree "$image"
	pki "$tree/tls"
	pki_server "$tree/tls" server ecdsa
	pki_use "$tree/tls" server "$work/server"
	make_guest "$tree" guest/bench-verity.sh veritysetup
	initramfs "$work/initramfs" "$verity_modules sha256_ssse3? tls
		aesni_intel gcm ctr ghash_generic?" "$tree" >/dev/null
	serve 0 file "$image"
	plain=$port with_plain=$server
	serve 0 --tls=require --tls-certificates="$work/server" file "$image"
	vm_memory=1024 vm_start "$work/initramfs" "rdinit=/test loglevel=4 \
test.rounds=$rounds test.mib=$mib test.plain=$plain test.tls=$port \
test.hash=$roothash test.size=$size" -icount shift=0,sleep=on \
		-serial "file:$work/kernel.log"
	vm_ended
	unserve
	server=$with_plain
	unserve
	awk -v mib="$mib" "$median"'
	$1 == "read" { n[$2]++; took[$2, n[$2]] = $3 }
	$1 == "by" { by[$2] = $3 }
	function of(kind,    a, i) {
		for (i = 1; i <= n[kind]; i++)
			a[i] = took[kind, i]
		return median(a, n[kind]) / mib / 1000
	}
	END {
		p = of("plain"); v = of("verity"); t = of("tls")
		printf "| plain | %.0f | |\n", p
		printf "| below dm-verity (%s) | %.0f | %.0f |\n", by["verity"],
			v, v - p
		printf "| TLS of the kernel (%s) | %.0f | %.0f |\n", by["tls"],
			t, t - p
	}' "$work/log" >"$work/reads"
}

# module NAME: its path as an object file in $work
module()
{
	for file in "$modules/kernel/arch/x86/crypto/$1.ko"*; do :; done
	case $file in
	*.xz) xz -dc "$file" >"$work/$1.ko" ;;
	*) cp "$file" "$work/$1.ko" ;;
	esac
}

# code SUITE: rows of the code of a kernel
code()
{
	VM_SUITE=$1
	find_kernel
	module sha256-ssse3
	module aesni-intel
	# what else the modules want is never called
	gcc -O2 -static -no-pie -o "$work/code" "$here/../bench/kernelcode.c" \
		"$work/sha256-ssse3.ko" "$work/aesni-intel.ko" \
		-Wl,-z,muldefs,--unresolved-symbols=ignore-all \
		2>"$work/code.log" || {
		cat "$work/code.log" >&2
		die "the code of Linux $version is not what kernelcode.c calls"
	}
	"$work/code" | sed "s/^\([^ ]*\) \(.*\)/| Linux ${version%%-*}, \1 | \2 |/"
}

boots_table()
{
	echo "| Debian to multi-user, verified by $(cat "$work/by.with") |" \
		"without | with verity | ratio |"
	echo '|---|---|---|---|'
	cat "$work/boots"
}

find_kernel
vm_emulator=$(sh "$here/qemu.sh" "$O/qemu13") || exit 1
boots
reads
boots_table
echo
echo "| 10^3 instructions for a MiB, $mib MiB by 128 KiB | all | more than plain |"
echo '|---|---|---|'
cat "$work/reads"
echo
echo '| the CPU of this machine | us for a MiB |'
echo '|---|---|'
code ''
code backports
