# SPDX-License-Identifier: BSD-2-Clause
include boot/cli/build.mk boot/watch/build.mk boot/copy/build.mk boot/init/build.mk \
	boot/net/build.mk boot/root/build.mk
