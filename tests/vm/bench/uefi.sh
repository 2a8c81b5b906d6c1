#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot.efi beside iPXE (of Debian testing) and the firmware's HTTP boot: boots
# from the program's start to the kernel's first line, and bulk reads, in turns.
# Kernel, initramfs (30 MB) and machine are the same; servers are on a network of
# tap devices.  ROUNDS of each (default 5), for each of DELAYS: ms that a frame
# takes for a round trip (default "0 10").
VM_LIMIT=${VM_LIMIT:-300}
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"
# shellcheck source=tests/netns.sh
. "$here/../netns.sh"
# shellcheck source=tests/vm/lan.sh
. "$here/lan.sh"

rounds=${ROUNDS:-5}
case $rounds in
'' | *[!0-9]* | 0*) die "ROUNDS=$rounds: not a number from 1" ;;
esac
served=$work/served
words="console=$console earlyprintk=$console loglevel=8 panic=1"
bulk=128 # MiB

# ---- what is served ----

make_files()
{
	FETCH_SUITE=testing sh "$here/../../port/linux/foreign.sh" x86_64 \
		"$O/ipxe" ipxe || exit 1
	mkdir "$served" "$work/cargo"
	cp "$O/ipxe/usr/lib/ipxe/snponly.efi" "$efi" "$served"
	cp "$kernel" "$served/vmlinuz"
	head -c 30000000 /dev/urandom >"$work/cargo/cargo"
	initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4' \
		>/dev/null
	(cd "$work/cargo" && echo cargo | cpio --quiet -o -H newc |
		cat "$work/initramfs" - >"$served/initramfs")
	sh "$here/../../boot/initramfs/mkuki.sh" -c "$words" -k "$kernel" \
		-i "$served/initramfs" "$served/uki.efi" >/dev/null
	esp_of "$esp" "$served/uki.efi" "EFI/BOOT/$uefi_loader"
	efi_disk "$served/disk" "$esp"
	head -c ${bulk}M /dev/urandom >"$served/bulk"
}

serve_files()
{
	nsenter -t "$srv" -n nbdkit -f -r -p 10809 file dir="$served" \
		>"$work/nbdkit.log" 2>&1 </dev/null &
	servers="$servers $!"
	listens -t 10809 "$!" "$work/nbdkit.log"
	nsenter -t "$srv" -n busybox httpd -f -p "$root4:80" -h "$served" &
	servers="$servers $!"
	listens -t 80 "$!" /dev/null
}

# ---- one boot ----

# boot FIRST LAST DNSMASQ-OPTION...: a machine that boots from the network, by PXE
# or with $firmware.  Sets took and worked (ms, of QEMU's processors) between the
# console's lines.
boot()
{
	first=$1 last=$2
	shift 2
	lan_dhcpd --enable-tftp --tftp-root="$served" "$@"
	# shellcheck disable=SC2086 # words on purpose
	uefi_start -netdev "tap,id=net,ifname=$tap,script=no,downscript=no" \
		-device virtio-net-pci,netdev=net,romfile=,mac=52:54:00:00:00:00 \
		$firmware
	vm_wait "$first" || fail "$first"
	took=$(now_ms)
	worked=$(vm_worked)
	vm_wait "$last" || fail "$last"
	worked=$(($(vm_worked) - worked))
	took=$(($(now_ms) - took))
	vm_stop
	lan_stop
}

fail()
{
	show "$work/log" >&2
	die "the console does not say $1 (see above)"
}

# note NAME: adds a line to $work/NAME.results
note()
{
	echo "$took $worked" >>"$work/$1.results"
	echo "# round trip $delay ms, $1: $took ms, of processors $worked" >&2
}

nbdboot_with()
{
	printf '%s\n' "$@" >"$served/nbdboot.conf"
}

ipxe_with()
{
	printf '%s\n' '#!ipxe' dhcp "$@" >"$served/autoexec.ipxe"
}

firmware=''
linux='*Linux version*'
ours='*nbdboot [0-9a-z]*'
theirs='*iPXE initialising*'
no_pxe='-fw_cfg name=opt/org.tianocore/IPv4PXESupport,string=n
	-fw_cfg name=opt/org.tianocore/IPv6PXESupport,string=n'
pxe_ours=--dhcp-boot=nbdboot.efi
pxe_theirs=--dhcp-boot=snponly.efi

round()
{
	nbd=nbd://$root4 http=http://$root4
	nbdboot_with "root=$nbd/disk" "kernel=$nbd/bulk"
	boot '*connected after*' '*FAILED: load*' $pxe_ours
	note bulk-nbdboot
	ipxe_with 'echo bulk begins' "imgfetch $http/bulk" 'echo bulk ends'
	boot '*bulk begins*' '*bulk ends*' $pxe_theirs
	note bulk-ipxe

	nbdboot_with "root=$nbd/disk" "kernel=$nbd/vmlinuz" \
		"initrd=$nbd/initramfs" "$words"
	boot "$ours" "$linux" $pxe_ours
	note direct-nbdboot
	nbdboot_with "root=$nbd/disk"
	boot "$ours" "$linux" $pxe_ours
	note disk-nbdboot
	ipxe_with "kernel $http/vmlinuz initrd=initramfs $words" \
		"initrd $http/initramfs" boot
	boot "$theirs" "$linux" $pxe_theirs
	note direct-ipxe
	ipxe_with "sanboot $http/disk"
	boot "$theirs" "$linux" $pxe_theirs
	note disk-ipxe
	firmware=$no_pxe
	boot '*URI: http*' "$linux" --dhcp-vendorclass=set:http,HTTPClient \
		--dhcp-option-force=tag:http,60,HTTPClient \
		--dhcp-boot="tag:http,$http/uki.efi"
	firmware=''
	note http-firmware
}

# ---- the table ----

# row NAME TEXT MIB: medians; MIB (of bulk): MB/s and ms of processors a MiB
row()
{
	[ -e "$work/$1.results" ] || return 0
	awk -v text="$2" -v mib="$3" "$median"'
	{ ms[NR] = $1; cpu[NR] = $2 }
	END {
		m = median(ms, NR)
		c = median(cpu, NR)
		printf "%-38s %7.2f %7.2f %7.2f %7.2f", text, m / 1000,
			ms[1] / 1000, ms[NR] / 1000, c / 1000
		if (mib)
			printf " %8.1f %8.1f", mib * 1048.576 / m, c / mib
		printf "\n"
	}' "$work/$1.results"
}

table()
{
	printf '%-38s %7s %7s %7s %7s %8s %8s\n' "round trip $delay ms" \
		's' least most 'CPU s' MB/s 'CPU/MiB'
	row bulk-nbdboot "bulk, nbdboot.efi, NBD" $bulk
	row bulk-ipxe "bulk, iPXE, HTTP" $bulk
	row direct-nbdboot 'kernel and initrd, nbdboot.efi, NBD' 0
	row direct-ipxe 'kernel and initrd, iPXE, HTTP' 0
	row disk-nbdboot 'UKI from a disk, nbdboot.efi, NBD' 0
	row disk-ipxe 'UKI from a disk, iPXE, HTTP (sanboot)' 0
	row http-firmware "UKI, OVMF's HTTP boot" 0
	rm -f "$work"/*.results
}

build_efi
find_kernel
lan_up
make_files
serve_files
: >"$work/tables"
for delay in ${DELAYS:-0 10}; do
	tap=t0
	[ "$delay" = 0 ] || lan_far $((delay * 500)) 0
	i=0
	while [ "$i" -lt "$rounds" ]; do
		round
		i=$((i + 1))
	done
	[ "$delay" = 0 ] || lan_near
	table >>"$work/tables"
done

echo "# make bench-uefi ROUNDS=$rounds DELAYS='${DELAYS:-0 10}' ($ACCEL," \
	"${vm_memory:-512} MiB, OVMF, virtio-net, Linux $version," \
	"iPXE $(strings "$served/snponly.efi" |
		sed -n 's/^ipxe,1,iPXE,snponly.efi,\([^,]*\),.*/\1/p'),"\
	"$(wc -c <"$efi") and $(wc -c <"$served/snponly.efi") bytes)"
cat "$work/tables"
