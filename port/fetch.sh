#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fetches the source of a library, as Debian has it, with Debian's security
# updates: fetch.sh PACKAGE DIR [SUITE BRANCH]
#
# apt gets Debian's source package by a separate list of sources, and so checks
# its signature.  The lists of the system stay as they are.  Nothing is done
# if DIR has the source already, in a version of that branch ("3.6"): remove it
# to take a newer update.
set -eu

package=${1:?package}
dir=${2:?directory}
suite=${FETCH_SUITE:-${3:-bookworm}}
branch=${4:-}
mirror=${FETCH_MIRROR:-http://deb.debian.org/debian}
# by default the same mirror's
security=${FETCH_SECURITY:-$mirror-security}

die()
{
	echo "$package: $*" >&2
	echo "$package: name another tree of it with" \
		"$(echo "$package" | tr '[:lower:]' '[:upper:]')_DIR=, or leave it out:" \
		"make menuconfig" >&2
	exit 1
}

# Is the source in a directory one of that branch?
is_right()
{
	head -n 1 "$1/debian/changelog" 2>/dev/null |
		grep -q "^$package (\([0-9]*:\)\?${branch:+${branch}[.]}"
}

! is_right "$dir" || exit 0
command -v apt-get >/dev/null || die 'no apt-get here to fetch the source'
mkdir -p "$dir"
# One at a time: what another make fetches now is there afterwards.
exec 9>"$dir.lock"
flock 9
! is_right "$dir" || exit 0
work=$(mktemp -d "$dir.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
work=$(cd "$work" && pwd)
mkdir -p "$work/lists/partial" "$work/tree"

# By itself apt-get only warns of an index that cannot be fetched.
apt()
{
	(cd "$work" && apt-get -q -o APT::Sandbox::User="$(id -un)" \
		-o APT::Update::Error-Mode=any \
		-o Dir::Etc::sourcelist="$work/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$work/lists" \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
		"$@" >log 2>&1)
}

must()
{
	apt "$@" && return
	cat "$work/log" >&2
	die "apt-get $1 failed (see above; is the package mirror reachable?)"
}

echo "$package: fetching the source package" >&2
echo "deb-src $mirror $suite main" >"$work/main"
echo "deb-src $security $suite-security main" |
	cat "$work/main" - >"$work/sources.list"
apt update || {
	echo "$package: WARNING: no security updates: $security $suite-security" \
		"cannot be fetched" >&2
	cp "$work/main" "$work/sources.list"
	must update
}
must source --download-only "$package"
# -m: as new as they are here, so that make compiles them again
tar -x -m -f "$work/$package"_*.orig.tar.* -C "$work/tree" --strip-components=1
for patches in "$work/$package"_*.debian.tar.*; do
	tar -x -m -f "$patches" -C "$work/tree"
done
[ ! -e "$work/tree/debian/patches/series" ] || (
	cd "$work/tree"
	while read -r patch _; do
		case $patch in
		'' | '#'*) ;;
		*) patch -s -p1 <"debian/patches/$patch" ;;
		esac
	done <debian/patches/series
) || die 'a patch of the package does not apply'
is_right "$work/tree" || die "$suite has another branch than $branch:" \
	"$(head -n 1 "$work/tree/debian/changelog")"
rm -rf "$dir"
mv "$work/tree" "$dir"
