# shellcheck shell=sh disable=SC2034,SC2153,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Machines with firmware, beyond lib.sh: OVMF and AAVMF of Debian, nbdboot.efi,
# a disk with an EFI system partition and a root.  Sourced, behind lib.sh.

uefi_arch=${ARCH:-x86_64}
# firmware reads it, which takes longer
packed=gzip
esp=$work/esp
disk=$work/disk
# Linux of x86 looks for ticks of its timer, which a busy host gives too late:
# "IO-APIC + timer doesn't work".
kernel_words="console=$console no_timer_check"

# build_efi [tls|ipv6]: makes the nbdboot.efi with that.  Sets efi.
build_efi()
{
	efi=$O/uefi${1:+_$1}-$uefi_arch/nbdboot.efi
	case ${1-} in
	tls) set -- TLS=1 ;;
	ipv6) set -- IPV6=1 ;;
	esac
	# one at a time: scripts side by side have one directory
	flock "$O" make -s -C "$here/../.." O="$O" ARCH="$uefi_arch" "$@" \
		uefi >&2 ||
		die 'nbdboot.efi does not build'
}

# Makes the directories of a file in $fat, where they are not there yet.
directories_of()
{
	dir=::
	for part in $(dirname "$1" | tr / ' '); do
		dir=$dir/$part
		mmd -D s -i "$fat" "$dir" </dev/null >/dev/null 2>&1 || true
	done
}

# MiB of an EFI system partition
esp_mib=64

# esp_of FILE FROM NAME...: $esp_mib of FAT32 with the files FROM as NAME.
esp_of()
{
	rm -f "$1"
	truncate -s "${esp_mib}M" "$1"
	mkfs.vfat -F 32 "$1" >/dev/null
	fat=$1
	shift
	while [ $# -gt 0 ]; do
		directories_of "$2"
		mcopy -i "$fat" "$1" "::$2"
		shift 2
	done
}

# efi_disk FILE ESP [ROOT]: a disk with ESP and behind it, at $efi_root MiB, the
# root, of 32 MiB without ROOT
efi_disk()
{
	rm -f "$1"
	mib=32 efi_root=$((1 + esp_mib))
	[ -z "${3-}" ] || mib=$(($(stat -c %s "$3") >> 20))
	truncate -s $((32 + esp_mib + mib))M "$1"
	printf '%s\n' 'label: gpt' \
		"start=2048, size=$((esp_mib * 2048)), type=U" \
		"start=$((efi_root * 2048)), size=$((mib * 2048))" |
		sfdisk -q "$1"
	dd if="$2" of="$1" bs=1M seek=1 conv=notrunc status=none
	[ -z "${3-}" ] || dd if="$3" of="$1" bs=1M seek=$efi_root \
		conv=notrunc,sparse status=none
}

drives=''

# drive PROGRAM WORD...: the next disk that the firmware boots from, with these
# words in nbdboot.conf.  drive_files: more files, as for esp_of.
drive()
{
	n=$((${n:-0} + 1))
	from=$1
	shift
	printf '%s\n' "$@" >"$work/conf"
	# shellcheck disable=SC2086 # words on purpose
	esp_of "$esp" "$from" "EFI/BOOT/$uefi_loader" "$work/conf" \
		EFI/BOOT/nbdboot.conf ${drive_files-}
	efi_disk "$work/drive$n" "$esp"
	drives="$drives -drive if=none,id=d$n,format=raw,file=$work/drive$n \
		-device virtio-blk-pci,drive=d$n,bootindex=$n"
}

# Becomes the machine: uefi_qemu QEMU-ARGUMENT...  The firmware is in flash memory
# if $uefi_vars names a file for its variables, and a ROM (U-Boot) if it is empty.
# It ends when it resets itself, unless $uefi_resets is set.
uefi_qemu()
{
	if [ "$uefi_vars" ]; then
		cp "$uefi_vars" "$work/vars"
		flash=if=pflash,format=raw
		set -- -drive "$flash,readonly=on,file=$uefi_code" \
			-drive "$flash,file=$work/vars" "$@"
	else
		set -- -bios "$uefi_code" "$@"
	fi
	# shellcheck disable=SC2086 # words on purpose
	exec ${vm_limit:+timeout "$vm_limit"} \
		${vm_at:+nsenter -t "$vm_at" -n} $uefi_machine \
		-accel "$ACCEL" -m "${vm_memory:-512}" -nodefaults -display none \
		${uefi_resets:--no-reboot} "$@"
}

case $uefi_arch in
x86_64)
	uefi_code=${uefi_code:-/usr/share/OVMF/OVMF_CODE_4M.fd}
	uefi_vars=${uefi_vars:-/usr/share/OVMF/OVMF_VARS_4M.fd}
	uefi_machine="qemu-system-x86_64 -cpu $vm_cpu"
	uefi_loader=BOOTX64.EFI
	console=ttyS0
	;;
aarch64)
	uefi_code=${uefi_code:-/usr/share/AAVMF/AAVMF_CODE.fd}
	uefi_vars=${uefi_vars:-/usr/share/AAVMF/AAVMF_VARS.fd}
	uefi_machine='qemu-system-aarch64 -machine virt -cpu max,pauth=off'
	uefi_loader=BOOTAA64.EFI
	console=ttyAMA0
	;;
esac

# uefi_start QEMU-ARGUMENT...: starts it in the background, like vm_start; what
# is written to descriptor 4 are its keys.
uefi_start()
{
	rm -f "$work/console" "$work/keys" "$work/log"
	mkfifo "$work/console" "$work/keys"
	: >"$work/log"
	vm_limit=$VM_LIMIT
	exec 4<>"$work/keys"
	uefi_qemu "$@" -serial stdio <"$work/keys" >"$work/console" 2>&1 &
	vm=$!
	exec 3<"$work/console"
}

# The network of QEMU: user_net WORDS, which may be empty
user_net()
{
	echo "-netdev user,id=net,ipv6=off${1:+,$1}" \
		"-device ${vm_nic:-virtio-net-pci},netdev=net,romfile=${vm_rom-}"
}

# set_variables DIR SENTENCE: a machine whose firmware gets the variables of DIR,
# see guest/variables.sh; those that start later have them, too.
set_variables()
{
	add_busybox "$work/setter"
	cp -r "$1" "$work/setter/variables"
	cp "$here/guest/variables.sh" "$work/setter/set"
	chmod 755 "$work/setter/set"
	initramfs "$work/setter.img" efivarfs "$work/setter" >/dev/null
	uefi_start -kernel "$kernel" -initrd "$work/setter.img" \
		-append "rdinit=/set $kernel_words panic=1"
	# QEMU has written each before it says so: the machine need not turn off
	vm_wait '*variables: done*' || true
	vm_stop
	shows "$2" '^variables: done' '!^variables: WRONG'
	mv "$work/vars" "$work/set-vars"
	uefi_vars=$work/set-vars
}
