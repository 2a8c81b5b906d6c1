# SPDX-License-Identifier: BSD-2-Clause
include boot/watch/build.mk boot/cli/build.mk boot/copy/build.mk boot/init/build.mk
