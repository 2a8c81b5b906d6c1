#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# test_scale.sh with a newer kernel: the code of the driver that changed most is
# about new connections and sizes.
VM_SUITE=backports exec sh "${0%/*}/test_scale.sh" "$@"
