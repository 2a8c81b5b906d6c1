#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# menuconfig.sh BUILD: lets a user change BUILD/.config, for make menuconfig, which
# sets KCONF, MCONF and KCONFIG_CONFIG.
#
# Another world or board has other defaults: of what was there before, only what
# was not the default stays.
set -eu
cp "$1/.config" "$1/config.was"
"$KCONF" --savedefconfig="$1/config.chosen" Kconfig >/dev/null
"$MCONF" Kconfig

# place FILE: the world and the board
place()
{
	sed -n '/^CONFIG_WORLD=/p; /^CONFIG_METAL_BOARD=/p' "$1"
}

if [ "$(place "$1/config.was")" != "$(place "$1/.config")" ]; then
	grep -vxFf "$1/config.chosen" "$1/config.was" >"$1/config.default"
	grep -vxFf "$1/config.default" "$1/.config" >"$1/config.new"
	mv "$1/config.new" "$1/.config"
fi
"$KCONF" --olddefconfig Kconfig >/dev/null
rm -f "$1"/config.*
