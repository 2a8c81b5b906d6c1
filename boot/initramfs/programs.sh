# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# What mkinitramfs.sh -w adds: programs of this system, with their libraries, and
# the list of when init runs them.  mkinitramfs.sh sources it.

with_names='lvm cryptsetup mdadm wpa_supplicant'

# with_modules NAME: the modules that its programs need
with_modules()
{
	case $1 in
	lvm) echo dm_mod dm_mirror dm_raid dm_snapshot ;;
	cryptsetup)
		echo dm_crypt algif_skcipher aes_generic aesni_intel aes_ce_blk \
			aes_arm64 xts cbc essiv sha256_generic sha512_generic
		;;
	mdadm) echo md_mod linear raid0 raid1 raid10 raid456 ;;
	esac
}

# with_lines NAME: its lines of /etc/nbdboot/programs
with_lines()
{
	case $1 in
	lvm) echo 'LVM 60 /sbin/modprobe -q -- dm_mod
LVM 60 /sbin/lvm vgchange -ay --sysinit' ;;
	cryptsetup)
		key=
		[ -z "$luks_key" ] || key='--key-file /etc/nbdboot/luks.key'
		echo "LUKS 60 /sbin/modprobe -q -- dm_crypt
LUKS 600 /sbin/cryptsetup open %o $key %p luks-%u"
		;;
	mdadm) echo 'RAID 60 /sbin/modprobe -q -- md_mod
RAID 60 /sbin/mdadm --assemble --scan --run %o' ;;
	esac
}

# with_root NAME: the directory that is its root
with_root()
{
	case $1 in
	wpa_supplicant) printf '%s\n' "$root/8021x" ;;
	*) printf '%s\n' "$root" ;;
	esac
}

# with_files NAME: its configuration.  There is no udev, and a disk of the machine
# may have the same volumes: the image was its copy.
with_files()
{
	case $1 in
	lvm)
		mkdir -p "$root/etc/lvm"
		cat >"$root/etc/lvm/lvm.conf" <<-'END'
			devices {
				filter = [ "a|^/dev/nbd|", "a|^/dev/loop|", "a|^/dev/md|", "a|^/dev/mapper/|", "a|^/dev/dm-|", "r|.*|" ]
				use_devicesfile = 0
				obtain_device_list_from_udev = 0
				external_device_info_source = "none"
				hints = "none"
				md_component_detection = 1
				md_component_checks = "full"
			}
			activation {
				udev_sync = 0
				udev_rules = 0
				verify_udev_operations = 0
				monitoring = 0
			}
			backup {
				backup = 0
				archive = 0
			}
			global {
				use_lvmpolld = 0
				use_lvmlockd = 0
			}
		END
		;;
	cryptsetup)
		mkdir -p "$root/etc/nbdboot"
		[ -z "$luks_key" ] ||
			install -m 400 "$luks_key" "$root/etc/nbdboot/luks.key"
		;;
	mdadm)
		mkdir -p "$root/etc/mdadm"
		printf '%s\n' 'DEVICE /dev/nbd* /dev/loop* /dev/mapper/*' \
			'HOMEHOST <ignore>' >"$root/etc/mdadm/mdadm.conf"
		;;
	wpa_supplicant)
		mkdir -p "$into/etc"
		cp -rL "$login" "$into/etc/8021x" ||
			die "$login: cannot be copied"
		[ -z "$tls" ] || cp -rL "$tls" "$into/etc/nbdboot"
		chmod -R u=rwX,go= "$into/etc"
		;;
	esac
}

# check_with: are the words of the command line right?
check_with()
{
	for name in $with; do
		case " $with_names " in
		*" $name "*) ;;
		*) die "-w $name: not one of $with_names" ;;
		esac
	done
	[ -z "$luks_key" ] || [ -f "$luks_key" ] || die "$luks_key: not a file"
	case " $with $luks_key" in
	*' cryptsetup '* | *' ') ;;
	*) die "-y $luks_key: this is for -w cryptsetup" ;;
	esac
	case " $with $login" in
	*' wpa_supplicant '?*)
		[ -f "$login/wpa_supplicant.conf" ] ||
			die "-x $login: no wpa_supplicant.conf in it"
		;;
	*' wpa_supplicant '*)
		die '-w wpa_supplicant: its configuration is missing (-x DIR)' ;;
	*' ') ;;
	*) die "-x $login: this is for -w wpa_supplicant" ;;
	esac
}

# The CPU in the header of an ELF file.
machine_of()
{
	od -An -tx1 -j18 -N2 "$1"
}

# copy_once FILE: into $into, with its path, unless it is there
copy_once()
{
	[ ! -e "$into$1" ] || return 0
	mkdir -p "$into${1%/*}"
	cp -L "$1" "$into$1"
	wc -c <"$1" >>"$work/copied"
}

# add_with NAME...: adds them, and prints their sizes: what two of them share
# counts for the first
add_with()
{
	for name; do
		into=$(with_root "$name")
		mkdir -p "$into/etc" "$into/sbin"
		program=$(PATH=$PATH:/sbin:/usr/sbin command -v "$name") ||
			die "-w $name: the program is missing; install it"
		[ "$(machine_of "$program")" = "$(machine_of "$nbdboot")" ] ||
			die "-w $name: $program is for another CPU than $nbdboot"
		: >"$work/copied"
		cp -L "$program" "$into/sbin/$name"
		wc -c <"$program" >>"$work/copied"
		for library in $(ldd "$program" | grep -o '/[^ ]*'); do
			copy_once "$library"
			# a thread that ends needs it, and nothing names it
			gcc=${library%/*}/libgcc_s.so.1
			case $library in
			*/libargon2.so*) [ ! -e "$gcc" ] || copy_once "$gcc" ;;
			esac
			# OpenSSL 3 has MD4 there, for PEAP with MSCHAPv2
			legacy=$(realpath "${library%/*}")/ossl-modules/legacy.so
			case $library in
			*/libcrypto.so.3) [ "$name" != wpa_supplicant ] ||
				[ ! -e "$legacy" ] || copy_once "$legacy" ;;
			esac
		done
		with_files "$name"
		with_lines "$name" >"$work/lines"
		if [ -s "$work/lines" ]; then
			mkdir -p "$root/etc/nbdboot"
			cat "$work/lines" >>"$root/etc/nbdboot/programs"
		fi
		awk -v name="$name" '{ n += $1 } END {
			printf "%10d  %s\n", n, name " with its libraries" }' \
			"$work/copied" >>"$work/with"
	done
}
