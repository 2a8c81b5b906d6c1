# SPDX-License-Identifier: BSD-2-Clause
# The flags of builds with sanitizers; sourced.
# shellcheck shell=sh disable=SC2034 # used by what sources this
# Stacks need the numbers of lines, not the variables.
san='-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined'
san="$san -fno-sanitize-recover=all"
# clang finds arithmetic that wraps, too, other than where the file says so.
# Fuzzers are linked with the same objects.
clang_san="$san -fsanitize=unsigned-integer-overflow,fuzzer-no-link"
clang_san="$clang_san -fsanitize-ignorelist=tests/wraps.txt"
# Each test is linked with everything: this takes half as long as GNU ld.
linker=-fuse-ld=lld
# For sed, of a configuration: a program that no TLS reaches needs no mbedTLS, which
# would be nearly half of its objects.
without_tls='s/^CONFIG_PORT_\(MBEDTLS\|TLS13\)=y/# CONFIG_PORT_\1 is not set/'
