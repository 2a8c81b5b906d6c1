#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What test_scale.sh checks, with a newer kernel: where the driver has changed
# most is where connections and sizes change.
VM_SUITE=backports exec sh "${0%/*}/test_scale.sh" "$@"
