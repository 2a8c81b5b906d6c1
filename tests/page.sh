# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The commands of a manual page, for tests that type them as they stand.  Sourced,
# behind tap.sh, with the path of the page in $page.

# block NAME: puts the block of the page behind its line "type: NAME" into
# $work/block, as man(1) shows it
block()
{
	sed -n "/^\.\\\\\" type: $1\$/,/^\.Ed/p" "$page" | sed '/^\./d
		s/\\e/\\/g; s/\\&//g' >"$work/block"
	[ -s "$work/block" ] || die "no block $1 in the manual"
}
