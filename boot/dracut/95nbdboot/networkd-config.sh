#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by dracut before 103, whose module systemd-networkd only starts
# networkd: has it ask for the root-path too, on all interfaces unless ip= names
# one, as later versions do.
# shellcheck disable=SC2154 # dracut's
nbdboot_networkd_config() (
	systemctl start systemd-network-generator.service
	networks=/run/systemd/network
	mkdir -p "$networks"
	for file in "$networks"/*.network; do
		[ ! -e "$file" ] || printf '\n[DHCPv4]\n%s\n%s\n' \
			ClientIdentifier=mac RequestOptions=17 >>"$file"
	done
	[ -e "$file" ] || printf '%s\n' '[Match]' 'Kind=!*' 'Type=!loopback' \
		'[Network]' DHCP=yes '[DHCPv4]' ClientIdentifier=mac \
		RequestOptions=17 >"$networks/zzzz-nbdboot.network"
	systemctl try-reload-or-restart systemd-networkd.service
)

[ -z "$netroot" ] || nbdboot_networkd_config
