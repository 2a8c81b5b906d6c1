#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# test_dropin.sh with the root of Debian 13, and a kernel of its version (6.12);
# dracut takes systemd-networkd there.
RELEASE=trixie VM_SUITE=backports KINDS=${KINDS:-efi dracut} \
	exec sh "${0%/*}/test_dropin.sh" "$@"
