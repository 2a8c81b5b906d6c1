#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The flash and RAM that each part of a program takes: parts.sh MAP
#
# MAP is what the GNU linker writes.  Code and constants are in flash, .bss and
# .stack in RAM, and .data in both.
set -eu

# Lines "SECTION INPUT SIZE OBJECT" of one output section each; the linker breaks
# those with long names in two.
inputs()
{
	awk '
	/^Linker script and memory map/ { begun = 1 }
	!begun { next }
	held { $0 = held $0; held = "" }
	NF == 1 && /^ ?[.C]/ { held = $0; next }
	/^\.stack / { print ".stack", "stack", $3, "-" }
	/^[^ ]/ { section = $1 }
	$1 == "*fill*" && section != ".stack" { print section, "alignment", $3, "-" }
	/^ [.C]/ && $3 ~ /^0x/ && $3 != "0x0" { print section, $1, $3, $4 }
	' "$1"
}

inputs "$1" | while read -r section input size object; do
	case $section in
	.text | .rodata) flash=$((size)) ram=0 ;;
	.data) flash=$((size)) ram=$((size)) ;;
	.bss | .stack) flash=0 ram=$((size)) ;;
	*) continue ;;
	esac
	case $object:$input in
	*/boot/metal/*:.bss.network) part=port/lwip ;;
	*/liblwip*) part=lwIP ;;
	*/port/lwip/*) part=port/lwip ;;
	*/port/metal/*) part=port/metal ;;
	*/port/*) part=port ;;
	*/core/*) part=core ;;
	*/boot/metal/*) part=boot/metal ;;
	*/mbedtls-*.o*) part=SHA-256 ;;
	*/libgcc*) part=libgcc ;;
	*) part=$input ;;
	esac
	echo "$part $flash $ram"
done | awk '
	BEGIN { sort = "sort -k2,2nr -k3,3nr" }
	{ flash[$1] += $2; ram[$1] += $3; f += $2; r += $3 }
	END {
		printf "%-12s %8s %8s\n", "", "flash", "RAM"
		for (p in flash)
			printf "%-12s %8d %8d\n", p, flash[p], ram[p] | sort
		close(sort)
		printf "%-12s %8d %8d\n", "total", f, r
	}'
