# SPDX-License-Identifier: BSD-2-Clause
program := nbdboot-lwip
tests := $(wildcard tests/core/test_*.c tests/port/lwip/test_*.c) \
	$(addprefix tests/port/, test_dial.c test_disk.c test_latency.c \
	test_names.c test_pool.c test_text.c test_tls.c test_creds.c test_records.c \
	test_records13.c)
fuzzers := tests/fuzz/fuzz_lwip.c
