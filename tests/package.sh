#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Downloads a package by the lists of this system, and unpacks it in a directory;
# nothing is installed.  Prints the name of the package.
#
#   package.sh DIR PACKAGE [PATTERN]
#
# With a pattern PACKAGE is a metapackage, and the one that is taken its first
# dependency that matches.  Nothing is done if DIR/package is there, which has
# the name.
set -eu

dir=${1:?directory}
wanted=${2:?package}
pattern=${3-}

# One at a time: what another script fetches now is there afterwards.
mkdir -p "$dir"
cd "$dir"
exec 9>package.lock
flock 9
if [ -e package ]; then
	cat package
	exit 0
fi
log=package.log
# As root apt would download as the user _apt, which may not write to this
# directory, and would complain.
set -- -q -o APT::Sandbox::User=root

real_name()
{
	if [ "$pattern" ]; then
		LC_ALL=C apt-cache "$@" depends --no-recommends --no-suggests \
			"$wanted" 2>"$log" |
			sed -n "s/^ *Depends: \($pattern\)\$/\1/p" | head -n 1
	else
		echo "$wanted"
	fi
}

download()
{
	name=$(real_name "$@")
	[ "$name" ] || return 1
	echo "package: downloading $name" >&2
	apt-get "$@" download "$name" >"$log" 2>&1
}

rm -f -- *.deb
if ! download "$@"; then
	# no lists yet, or lists of packages that the mirror has no more
	[ "$(id -u)" != 0 ] || apt-get "$@" update >"$log" 2>&1 || :
	if ! download "$@"; then
		cat "$log" >&2
		echo "package: no $wanted from apt (as root: apt-get update," \
			"then again)" >&2
		exit 1
	fi
fi
dpkg-deb -x "$name"_*.deb .
rm -f -- *.deb "$log"
# The last step: this file marks the others as done.
echo "$name" >package
cat package
