#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Packs the source of the latest commit, with an SBOM in it:
# dist.sh BUILD VERSION SECONDS MBEDTLS
#
# The same commit, mbedTLS and musl give the same bytes.  MBEDTLS is the source
# that is linked.
set -eu

out=${1:?build directory}/dist version=${2:?version} built=${3:?date} tls=${4-}
version=${version%-dirty}
name=nbdboot-$version

die()
{
	printf '%s\n' "dist: $*" >&2
	exit 1
}

git rev-parse --verify -q HEAD >/dev/null || die 'this is no git tree'

# package ID NAME VERSION LICENCE FROM
package()
{
	printf '\nPackageName: %s\nSPDXID: SPDXRef-%s\n' "$2" "$1"
	printf 'PackageVersion: %s\nPackageDownloadLocation: %s\n' "$3" "$5"
	printf 'FilesAnalyzed: false\nPackageLicenseConcluded: %s\n' "$4"
	printf 'PackageLicenseDeclared: %s\n' "$4"
	printf 'PackageCopyrightText: NOASSERTION\n'
}

# linked ID VERSION LICENCE: a source package of Debian that is in the program,
# but not in the tar
linked()
{
	package "$1" "$1" "$2" "$3" \
		"https://deb.debian.org/debian/pool/main/$(printf '%.1s' "$1")/$1/"
	printf '\nRelationship: SPDXRef-nbdboot STATIC_LINK SPDXRef-%s\n' "$1"
}

# The version of Debian's package in the tree of its source, with the number of
# its security updates.
version_in()
{
	sed -n '1s/.*(\(.*\)).*/\1/p' "$1/debian/changelog" 2>/dev/null
}

# An SBOM in the tag-value form of SPDX 2.3.
sbom()
{
	echo 'SPDXVersion: SPDX-2.3'
	echo 'DataLicense: CC0-1.0'
	echo 'SPDXID: SPDXRef-DOCUMENT'
	printf '%s\n' "DocumentName: $name" \
		"DocumentNamespace: urn:nbdboot:sbom:$(git rev-parse HEAD)"
	echo 'Creator: Tool: make dist'
	date -u -d "@$built" '+Created: %Y-%m-%dT%H:%M:%SZ'
	package nbdboot nbdboot "$version" BSD-2-Clause NOASSERTION
	echo
	echo 'Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-nbdboot'
	! found=$(version_in "$tls") ||
		linked mbedtls "$found" 'Apache-2.0 OR GPL-2.0-or-later'
	! found=$(dpkg-query -W -f='${source:Version}' musl-dev 2>/dev/null) ||
		linked musl "$found" MIT
	# only in the programs for machines without a socket layer
	[ ! -d port/lwip ] || ! found=$(version_in build/lwip) ||
		linked lwip "$found" BSD-3-Clause
}

rm -rf "$out"
mkdir -p "$out"
sbom >"$out/sbom.spdx"
git archive --format=tar --prefix="$name/" \
	--add-file="$out/sbom.spdx" HEAD | gzip -9n >"$out/$name.tar.gz"
printf '%s\n' "$out/$name.tar.gz"
