# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Where mkinitramfs.sh, which sources this, finds the firmware of modules.

# add_firmware NAME: copies the file, or those of a pattern ("a*.bin"), from where
# the kernel would take it first.  It may be compressed there.
add_firmware()
{
	found=
	for at in "updates/$version/" updates/ "$version/" ''; do
		for end in '' .xz .zst; do
			# shellcheck disable=SC2231 # a pattern on purpose
			for from in "$firmware/$at"$1$end; do
				[ -f "$from" ] || continue
				found=1
				to=${from#"$firmware/$at"}
				to=$root/lib/firmware/${to%"$end"}
				[ ! -e "$to" ] || continue
				mkdir -p "${to%/*}"
				unpack "$from" >"$to" ||
					die "$from: cannot be read"
			done
		done
	done
	[ "$found" ]
}
