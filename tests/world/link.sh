#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a program of tests/ is linked with, so that its functions and those of the
# played kernel replace the product's: link.sh BUILD SOURCE...
set -eu

dir=$1
shift

included()
{
	sed -n 's|^#include "\(tests/world/[a-z]*\)\.h"$|\1|p' "$@"
}

# a header of a part includes world.h, and the parts that it needs
parts=$(included "$@")
# shellcheck disable=SC2046,SC2086 # words on purpose
[ -z "$parts" ] || parts=$(printf '%s\n' $parts \
	$(included $(printf '%s.h ' $parts)) | sort -u)
for part in $parts; do
	set -- "$@" "$part.c"
	echo "$dir/$part.o"
done
sed -n 's/^[a-z].*[ *]__wrap_\([A-Za-z0-9_]*\)(.*/-Wl,--wrap=\1/p' "$@" | sort -u
