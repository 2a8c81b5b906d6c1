#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program without some of its parts installs fewer files.  Takes those that are
# missing in debian/tmp out of the lists of the packages, and with its last file a
# package out of debian/control.  UNITS is as in rules.
set -eu

units=${UNITS:?directory}
for list in debian/*.install; do
	while IFS= read -r file; do
		# shellcheck disable=SC2016
		case $file in
		'${env:UNITS}/'*) path=$units/${file#*/} ;;
		*) path=$file ;;
		esac
		# a pattern
		# shellcheck disable=SC2086
		set -- debian/tmp/$path
		[ ! -e "$1" ] || printf '%s\n' "$file"
	done <"$list" >"$list.new"
	mv "$list.new" "$list"
	package=${list#debian/} package=${package%.install}
	if [ ! -s "$list" ]; then
		rm -f debian/"$package".*
		sed -i "/^Package: $package\$/,/^\$/d" debian/control
	fi
done
