# SPDX-License-Identifier: BSD-2-Clause
# How tests are built and run.
#
#   make check-quick         what a minute is enough for
#   make check               everything
#   make fuzz T=600          each fuzzer for T seconds, new inputs are kept
#   make O=dir CC=gcc STATIC= unit     the unit tests of one variant
#
# Each tests/<dir>/test_<name>.c is one program, linked with every object of
# the product but its main().  A variant is a build folder of its own, where
# the product's objects and the tests have the same compiler and flags.

test-bin := $(patsubst %.c,$(O)/%,$(sort $(wildcard \
	tests/*/test_*.c tests/boot/*/test_*.c)))
test-lib := $(addprefix $(O)/,$(filter-out boot/cli/main.o,$(core-y) \
	$(port-y) $(boot-y)))
fuzz-bin := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

# A test that defines __wrap_NAME() stands in for NAME() of the C library.
wraps = $$(sed -n 's/^[a-z].*[ *]__wrap_\([a-z0-9_]*\)(.*/-Wl,--wrap=\1/p' \
	$(patsubst $(O)/%,%.c,$@) | sort -u)
$(test-bin): LDLIBS += -lcmocka
$(fuzz-bin): LDLIBS += -fsanitize=fuzzer
$(test-bin) $(fuzz-bin): %: %.o $(O)/libtest.a $(mbedtls-lib) tests/build.mk
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(ldflags) $(wraps) -o $@ $(filter-out %.mk,$^) \
		$(LDLIBS)
$(test-bin:=.o) $(fuzz-bin:=.o): $(O)/%.o: %.c $(O)/autoconf.h
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(base) $(warn) $(hosted) $(cpp) $(CFLAGS) -c -o $@ $<
$(O)/libtest.a: $(test-lib)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

unit: $(test-bin)
	$(Q)sh tests/unit.sh $(O) $(test-bin)
unit-bin: $(test-bin)
fuzz-bin: $(fuzz-bin)
# The objects alone, for compilers whose programs cannot run here.
objects: $(test-lib)

check-quick: deps
	$(Q)sh tests/run.sh $(O) quick
check: deps
	$(Q)sh tests/run.sh $(O) all
deps:
	$(Q)sh tests/deps.sh
	$(Q)$(if $(MBEDTLS_DIR),:,sh port/mbedtls/fetch.sh build/mbedtls)
fuzz:
	$(Q)sh tests/fuzz/run.sh $(O) $(or $(T),60)

-include $(test-bin:=.d) $(fuzz-bin:=.d)
.PHONY: unit unit-bin fuzz-bin objects check check-quick deps fuzz

include tests/vm/build.mk

# Benchmarks in C, built for speed and apart.
bench-c := $(O)/tests/bench/engine $(O)/tests/bench/latency
$(bench-c): %: %.o $(O)/libtest.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(ldflags) -o $@ $^ $(LDLIBS)
$(bench-c:=.o): $(O)/%.o: %.c $(O)/autoconf.h
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(base) $(warn) $(hosted) $(cpp) $(CFLAGS) -c -o $@ $<
objects-bench: $(bench-c)
bench-programs: deps
	$(Q)+$(MAKE) -s O=$(O)/t/bench CC=gcc STATIC= objects-bench
	$(Q)+$(MAKE) -s $(O)/nbdboot
# Instructions per read, by callgrind: the same numbers on a busy machine.
bench-engine: bench-programs
	$(Q)sh tests/bench/engine.sh $(O)/t/bench
# make bench-copy [ROUNDS=7]
bench-copy: bench-programs
	$(Q)sh tests/bench/copy.sh $(O) $(ROUNDS)
# make bench-fleet [FLEET='1 4 16 64']: so many machines at once; as root
bench-fleet: deps
	$(Q)+$(MAKE) -s $(O)/nbdboot
	$(Q)O=$(O) FLEET='$(or $(FLEET),1 4 16 64)' \
		sh tests/interop/test_fleet.sh
-include $(bench-c:=.d)
.PHONY: objects-bench bench-programs bench-engine bench-copy \
	bench-fleet
