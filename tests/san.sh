# SPDX-License-Identifier: BSD-2-Clause
# The flags of builds with sanitizers; sourced.
# shellcheck shell=sh disable=SC2034 # used by what sources this
san='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined'
san="$san -fno-sanitize-recover=all"
# Each test is linked with everything: this takes half as long as GNU ld.
linker=-fuse-ld=lld
