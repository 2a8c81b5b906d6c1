#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Unpacks Debian packages of another CPU or suite in a directory; nothing is
# installed: foreign.sh CPU DIR PACKAGE...
#
# CPU is x86_64, aarch64, armv7, riscv64, s390x or i386, and FETCH_SUITE the suite
# (bookworm).  apt downloads the packages by lists of its own, and so checks
# their signatures.  In place of a metapackage linux-image-CPU it takes the
# packages of the kernel that this depends on.  Nothing is done if DIR/unpacked
# is there.
set -eu

cpu=${1:?CPU}
dir=${2:?directory}
shift 2
mirror=${FETCH_MIRROR:-http://deb.debian.org/debian}
suites=${FETCH_SUITE:-bookworm}

die()
{
	echo "$cpu: $*" >&2
	exit 1
}

case $cpu in
x86_64) arch=amd64 ;;
aarch64) arch=arm64 ;;
armv7) arch=armhf ;;
# Debian 12 does not have it.  While a mirror takes over a point release, its
# lists do not match their signature; testing has none.
riscv64) arch=riscv64 suites=${FETCH_SUITE:-trixie forky} ;;
s390x | i386) arch=$cpu ;;
*) die 'not x86_64, aarch64, armv7, riscv64, s390x or i386' ;;
esac

[ ! -e "$dir/unpacked" ] || exit 0
command -v apt-get >/dev/null || die "no apt-get here to fetch $*"
rm -rf "$dir"
mkdir -p "$dir/apt/lists/partial"
cd "$dir"
cat >apt/apt.conf <<END
APT::Architecture "$arch";
APT::Architectures "$arch";
APT::Sandbox::User "$(id -un)";
APT::Update::Error-Mode "any";
Dir::Etc::sourcelist "$PWD/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$PWD/apt/lists";
Dir::State::status "/dev/null";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
END
export APT_CONFIG="$PWD/apt/apt.conf"

must()
{
	"$@" >apt/log 2>&1 && return
	cat apt/log >&2
	die "$* failed (see above; is the package mirror reachable?)"
}

# depends PACKAGE PATTERN: its dependencies that match
depends()
{
	LC_ALL=C apt-cache depends --no-recommends --no-suggests "$1" |
		sed -n "s/^ *Depends: \($2\)\$/\1/p"
}

# real_names PACKAGE: those that hold its files
real_names()
{
	case $1 in
	linux-image-*)
		image=$(depends "$1" 'linux-image-[0-9].*' | head -n 1)
		echo "$image"
		# since Debian 14 that is a metapackage, too
		depends "$image" 'linux-\(base\|binary\|modules\)-[0-9].*'
		;;
	*) echo "$1" ;;
	esac
}

# update: the lists of the first suite that has them
update()
{
	for suite in $suites; do
		echo "deb $mirror $suite main" >apt/sources.list
		! apt-get -q update || return 0
	done
	return 1
}

echo "$cpu: fetching $*" >&2
must update
for package; do
	names=$(real_names "$package")
	[ "$names" ] || die "no package $package"
	for name in $names; do
		must apt-get -q download "$name"
		must dpkg-deb -x "$name"_*.deb .
		rm -f -- "$name"_*.deb
	done
done
rm -rf apt
# The last step: this file marks the others as done.
: >unpacked
