# SPDX-License-Identifier: BSD-2-Clause
# How tests are built and run; tests/README.md explains their use.
#
# Each tests/<dir>/test_<name>.c is one program, linked with every object of
# the product but its main().  A variant (compiler, flags) has a build
# directory of its own, for the product's objects and for the tests.

test-bin := $(patsubst %.c,$(O)/%,$(sort $(wildcard \
	tests/*/test_*.c tests/boot/*/test_*.c)))
test-lib := $(addprefix $(O)/,$(filter-out boot/cli/main.o,$(core-y) \
	$(port-y) $(boot-y)))
fuzz-bin := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

# A test that defines __wrap_NAME() replaces NAME() of the C library.
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

unit: $(test-bin) ## the unit tests of one compiler: O=DIR CC=gcc STATIC=
	$(Q)sh tests/unit.sh $(O) $(test-bin)
unit-bin: $(test-bin)
fuzz-bin: $(fuzz-bin)
# Only the objects, for compilers whose programs cannot run here.
objects: $(test-lib)

check-quick: deps ## the tests that take about a minute
	$(Q)T='$(T)' sh tests/run.sh $(O) quick
check: deps ## all tests, or with T=PATTERN the steps that match it
	$(Q)T='$(T)' sh tests/run.sh $(O) all
deps: ## install what builds and tests need, or print the command for it
	$(Q)sh tests/deps.sh
	$(Q)$(if $(MBEDTLS_DIR),:,sh port/mbedtls/fetch.sh build/mbedtls)
fuzz: ## each fuzzer for T=60 seconds; new inputs are kept
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
# Counted by callgrind: the same numbers on a busy machine.
bench-engine: bench-programs ## instructions of the engine per read
	$(Q)sh tests/bench/engine.sh $(O)/t/bench
bench-copy: bench-programs ## copy beside nbdcopy and qemu-img: ROUNDS=7
	$(Q)sh tests/bench/copy.sh $(O) $(ROUNDS)
bench-fleet: deps ## many machines at once, as root: FLEET='1 4 16 64'
	$(Q)+$(MAKE) -s $(O)/nbdboot
	$(Q)O=$(O) FLEET='$(or $(FLEET),1 4 16 64)' \
		sh tests/interop/test_fleet.sh
bench-report: ## run benchmarks, write tests/bench/RESULTS.md: ONLY='engine'
	$(Q)sh tests/bench/report.sh $(O) $(ONLY)
-include $(bench-c:=.d)
.PHONY: objects-bench bench-programs bench-engine bench-copy \
	bench-fleet bench-report
