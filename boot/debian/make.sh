#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Packs a built program into Debian packages, in BUILD/deb:
# make.sh BUILD VERSION SECONDS
#
# The tree of the packaging is made anew from this directory.  SECONDS is the
# date of the source: the packages are the same for the same source.
set -eu

out=${1:?build directory} version=${2:?version} built=${3:?date}
here=${0%/*}
out=$(cd "$out" && pwd)
tree=$out/deb/nbdboot

die()
{
	printf '%s\n' "deb: $*" >&2
	exit 1
}

for program in dpkg-buildpackage dh fakeroot; do
	command -v "$program" >/dev/null ||
		die "$program is missing (apt-get install debhelper fakeroot)"
done

# A hash alone is no version of Debian's: it begins with a digit, and grows.
# v1.0-rc1 comes before v1.0, and v1.0-3-gHASH after it.
second=$(date -u -d "@$built" +%Y%m%d.%H%M%S)
case $version in
v[0-9]*) version=${version#v} ;;
*) version=0~$second+$version ;;
esac
version=$(printf '%s\n' "$version" |
	sed -E 's/-(alpha|beta|pre|rc)/~\1/; s/-/+/g; s/[^A-Za-z0-9.+~]/./g')

# using PACKAGE VERSION: for Built-Using
mbedtls=$(sed -n '1s/.*(\(.*\)).*/\1/p' build/mbedtls/debian/changelog \
	2>/dev/null || :)
musl=$(dpkg-query -W -f='${source:Version}' musl-dev 2>/dev/null || :)
NBDBOOT_USING="${mbedtls:+mbedtls (= $mbedtls), }${musl:+musl (= $musl)}"
# Below the tree, whose path may hold blanks, make wants the rest of the path.
NBDBOOT=$PWD NBDBOOT_O=${out#"$PWD"/} SOURCE_DATE_EPOCH=$built
export NBDBOOT NBDBOOT_O NBDBOOT_USING SOURCE_DATE_EPOCH

rm -rf "$out/deb"
mkdir -p "$tree/debian/source"
cp "$here"/control "$here"/rules "$here"/nbdboot* "$tree/debian/"
chmod 755 "$tree/debian/rules"
echo '3.0 (native)' >"$tree/debian/source/format"
# each line of LICENSE, and of musl's, as a line of the field
sed 's/^$/./; s/^/ /' LICENSE >"$out/deb/license"
sed -n '/^ *Permission is hereby/,/^ *SOFTWARE OR THE USE/{s/^ *//; s/^$/./; s/^/ /p}' \
	/usr/share/doc/musl-dev/copyright >"$out/deb/musl" 2>/dev/null || :
sed -e "/^@LICENSE@/{
	r $out/deb/license
	d
}" -e "/^@MUSL@/{
	r $out/deb/musl
	d
}" "$here/copyright" | sed '/^License: BSD-2-Clause$/{n;/^$/d}' \
	>"$tree/debian/copyright"
{
	printf '%s\n' "nbdboot ($version) unstable; urgency=medium"
	echo
	echo '  * Packages of this commit; git log has the changes.'
	echo
	printf ' -- nbdboot developers <nbdboot@nbdboot.invalid>  %s\n' \
		"$(date -u -R -d "@$built")"
} >"$tree/debian/changelog"

# -d: the program is built already
if ! (cd "$tree" && dpkg-buildpackage -b -us -uc -d) >"$out/deb/log" 2>&1
then
	tail -n 30 "$out/deb/log" >&2
	die "dpkg-buildpackage failed ($out/deb/log)"
fi
rm -r "$tree" "$out/deb/license" "$out/deb/musl"
ls "$out"/deb/*.deb
