# SPDX-License-Identifier: BSD-2-Clause
# How tests are built and run; tests/README.md explains their use.
#
# Each tests/<dir>/test_<name>.c is one program, linked with every object of
# the product but its main().  A variant (compiler, flags) has a build
# directory of its own, for the product's objects and for the tests.

#
# A world other than Linux names the tests and the fuzzers that it runs in its
# world.mk.
tests ?= $(filter-out $(if $(CONFIG_PORT_TLS13),,%/test_records13.c), \
	$(wildcard tests/*/test_*.c tests/boot/*/test_*.c))
test-bin := $(patsubst %.c,$(O)/%,$(sort $(tests)))
test-lib := $(addprefix $(O)/,$(filter-out boot/cli/main.o,$(core-y) \
	$(port-y) $(boot-y)))
# What firmware runs of boot/, and needs none.
uefi-pure := $(if $(CONFIG_WORLD_LINUX),$(addprefix $(O)/boot/uefi/, \
	cache.o dhcp_frames.o encoding.o pe.o where.o) \
	$(addprefix $(O)/boot/words/, conf.o hash.o lease.o) \
	$(O)/port/uefi/http_body.o $(O)/port/sha256.o)
test-lib += $(uefi-pure)
sim-bin := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/sim/sim_*.c)))
fuzzers ?= $(filter-out %/fuzz_lwip.c,$(wildcard tests/fuzz/fuzz_*.c))
fuzz-bin := $(patsubst %.c,$(O)/%,$(sort $(fuzzers)))

# A test or simulation that defines __wrap_NAME() replaces NAME() of the product or
# the C library, and so does a part of tests/world/ whose header it includes.
world-obj := $(patsubst %.c,$(O)/%.o,$(wildcard tests/world/*.c))
wraps = $$(sh tests/world/link.sh $(O) $(patsubst $(O)/%.o,%.c,$(filter-out \
	$(world-obj),$(filter $(O)/tests/%.o,$^))))
$(test-bin): LDLIBS += -lcmocka
$(fuzz-bin): LDLIBS += -fsanitize=fuzzer
$(sim-bin): $(O)/tests/sim/run.o
$(filter %/sim_dhcp %/sim_dhcp6,$(sim-bin)): $(O)/tests/sim/leases.o
$(test-bin) $(sim-bin) $(fuzz-bin): %: %.o $(O)/libtest.a $(world-lib) \
		$(mbedtls-lib) $(world-obj) tests/build.mk tests/world/link.sh
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(ldflags) $(wraps) -o $@ \
		$(filter-out %.mk %.sh %.a $(world-obj),$^) $(filter %.a,$^) \
		$(LDLIBS)
# Servers, and what results are compared with.
mbedtls-tests := $(addprefix $(O)/tests/,port/test_tls.o port/test_aesgcm.o \
	port/test_resume.o fuzz/fuzz_aesgcm.o)
$(mbedtls-tests): cpp += $(mbedtls-cpp)
$(mbedtls-tests): $(if $(mbedtls-src),,|) $(mbedtls-ready)
$(O)/tests/port/test_fault.o: cpp += \
	-DMBEDTLS_HEADERS='"$(or $(mbedtls-src:%=%/include),/usr/include)/mbedtls"'
# nbdboot with a driver that is played.
driver := $(O)/tests/interop/driver
$(driver): %: %.o $(O)/boot/cli/main.o $(O)/libtest.a $(mbedtls-lib) $(world-obj)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(ldflags) $(wraps) -o $@ \
		$(filter-out $(world-obj),$^) $(LDLIBS)
sim-obj := $(world-obj) $(driver).o $(sim-bin:=.o) $(O)/tests/sim/run.o \
	$(O)/tests/sim/leases.o
# What a test does itself is not worth an optimizer's time.
$(test-bin:=.o): test-opt := \
	$(if $(findstring -flto,$(CFLAGS)),,-O0 -U_FORTIFY_SOURCE)
$(test-bin:=.o) $(sim-obj) $(fuzz-bin:=.o) $(uefi-pure): $(O)/%.o: %.c $(O)/autoconf.h
	$(call say,CC,$@)
	$(in-dir)
	$(Q)$(CC) $(base) $(warn) $(hosted) $(cpp) $(CFLAGS) $(test-opt) -c -o $@ $<
$(O)/libtest.a: $(test-lib)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

unit: $(test-bin) ## the unit tests of one compiler: O=DIR CC=gcc STATIC=
	$(Q)sh tests/unit.sh $(O) $(test-bin)
unit-bin: $(test-bin)
fuzz-bin: $(fuzz-bin)
coverage: deps ## which lines and branches the unit tests reach
	$(Q)sh tests/coverage.sh $(O)
# COUNT schedules of each simulation; the one of a seed is always the same.
sim: $(sim-bin) ## simulations, like unit: SEED=1 COUNT=100000
	$(Q)rc=0; for p in $(sim-bin); do \
		$$p $(or $(SEED),1) $(or $(COUNT),100000) || rc=1; \
	done; exit $$rc
soak-rollout: $(O)/nbdboot ## each kind of bad image, 20 times: ROUNDS=20
	$(Q)O=$(O) ROUNDS=$(or $(ROUNDS),20) sh tests/vm/test_images.sh
soak-sim: deps ## the simulations for long: SEED=1 COUNT=10000000
	$(Q)+$(MAKE) -s O=$(O)/t/unit CC=gcc CFLAGS='-O2 -g' STATIC= \
		SEED=$(or $(SEED),1) COUNT=$(or $(COUNT),10000000) sim
soak-unit: deps ## unit tests with gcc's sanitizers; make check has clang's
	$(Q)sh tests/run.sh $(O) unit-gcc-san
soak-lint: deps ## lint, with clang's analyzer
	$(Q)sh tests/lint.sh $(O) soak
soak-cpus: $(O)/nbdboot ## the program for each CPU, by an emulator
	$(Q)SOAKED= sh tests/interop/test_cpus.sh $(O)
soak-faults: $(O)/nbdboot ## a fault at each step of each command: 12900 cases
	$(Q)STEPS=all sh tests/interop/test_faults.sh $(O)
soak-net: $(O)/nbdboot ## a table of networks and servers of DHCP, as root: ROWS='nak* *6'
	$(Q)sh tests/deps.sh net
	$(Q)SERVERS='$(or $(SERVERS),dnsmasq kea isc)' ROWS='$(ROWS)' \
		sh tests/interop/test_networks.sh $(O)
# STEPS= runs the unit tests alone, or the steps that match it; T=PATTERN chooses
# faults by their lines in mutations.txt.
soak-mutations: deps ## which check finds each of the faults of mutations.txt: STEPS= T=
	$(Q)$(if $(filter-out undefined,$(origin STEPS)),STEPS='$(STEPS)') \
		sh tests/mutations.sh $(O) '$(T)'
# Only the objects, for compilers whose programs cannot run here.
objects: $(test-lib)
# What rules.sh looks at: nothing of mbedTLS.
objects-rules: $(addprefix $(O)/,$(boot-y)) $(O)/libport.a $(O)/libcore.a \
	$(filter %/liblwip.a,$(world-lib))

check-quick: deps ## the tests that take about a minute
	$(Q)T='$(T)' sh tests/run.sh $(O) quick
check: deps ## all tests, those that match T=PATTERN, or CHANGED=origin/main
	$(Q)T='$(T)' CHANGED='$(CHANGED)' sh tests/run.sh $(O) all
check-twice: deps ## twice under three busy loops: T=PATTERN CHANGED=REF
	$(Q)T='$(T)' CHANGED='$(CHANGED)' sh tests/twice.sh $(O) all
deps: ## install what builds and tests need, or print the command for it
	$(Q)sh tests/deps.sh
	$(Q)$(if $(MBEDTLS_DIR),:,sh port/fetch.sh mbedtls build/mbedtls trixie 3.6)
	$(Q)$(if $(LWIP_DIR),:,sh port/fetch.sh lwip build/lwip)
fuzz: ## each fuzzer for T=60 seconds; new inputs are kept
	$(Q)sh tests/fuzz/run.sh $(O) $(or $(T),60)

-include $(test-bin:=.d) $(over-obj:.o=.d) $(uefi-pure:.o=.d) $(sim-obj:.o=.d) \
	$(fuzz-bin:=.d)
.PHONY: unit unit-bin coverage sim soak-sim soak-unit soak-lint soak-cpus soak-faults soak-net soak-mutations fuzz-bin objects objects-rules check check-quick \
	check-twice \
	deps fuzz

include tests/vm/build.mk

# Benchmarks in C, built for speed and apart.
bench-c := $(addprefix $(O)/tests/bench/,engine latency storm)
$(bench-c): %: %.o $(O)/libtest.a $(mbedtls-lib)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(ldflags) -o $@ $^ $(LDLIBS)
$(bench-c:=.o): $(O)/%.o: %.c $(O)/autoconf.h
	$(call say,CC,$@)
	$(in-dir)
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
# Machines of one bridge, from one server or two, that may be killed.
bench-storm: bench-programs ## a morning's boots at once, as root: MACHINES='100 1000' MBIT=1000
	$(Q)MACHINES='$(MACHINES)' MBIT='$(MBIT)' ROWS='$(ROWS)' \
		sh tests/bench/storm.sh $(O)
# Their delay, loss and rate are those of a relay.
bench-link: bench-programs ## settings of a link far away, as root: DELAYS='20 80' RATES=100 LOSSES=0
	$(Q)+$(MAKE) -s $(O)/relay
	$(Q)DELAYS='$(DELAYS)' RATES='$(RATES)' LOSSES='$(LOSSES)' \
		ROUNDS='$(ROUNDS)' JOBS='$(JOBS)' SETTINGS='$(SETTINGS)' \
		sh tests/bench/link.sh $(O)
bench-report: ## run benchmarks, write tests/bench/RESULTS.md: ONLY='engine'
	$(Q)sh tests/bench/report.sh $(O) $(ONLY)
-include $(bench-c:=.d)
.PHONY: objects-bench bench-programs bench-engine bench-copy \
	bench-fleet bench-link bench-report bench-storm

# nbdboot with lwIP in place of the system's TCP, in a build of Linux with
# PORT_LWIP.
over-obj := $(O)/tests/lwip/over.o $(O)/boot/lwip/tap.o
$(O)/over/nbdboot: LDLIBS += -Wl,--wrap=poll,--wrap=ip4_route
$(O)/over/nbdboot: $(addprefix $(O)/,$(boot-y)) $(over-obj) $(O)/libport.a \
		$(O)/libcore.a $(world-lib) $(mbedtls-lib)
	$(call say,LD,$@)
	$(in-dir)
	$(Q)$(link)
$(if $(CONFIG_WORLD_LINUX),$(over-obj)): $(O)/%.o: %.c $(O)/autoconf.h
	$(call say,CC,$@)
	$(in-dir)
	$(Q)$(CC) $(base) $(warn) $(hosted) $(cpp) $(CFLAGS) -c -o $@ $<

# nbdboot-lwip: a relay that is a bad network, and builds of several windows.
$(O)/relay: tests/lwip/relay.c
	$(call say,CC,$@)
	$(in-dir)
	$(Q)gcc -O2 -g -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE -o $@ $<
bench-lwip-%: deps
	$(Q)+$(MAKE) -s O=$(O)/t/bench-lwip/lwip-$* lwip_defconfig
	$(Q)sed -i -e 's/\(LWIP_WINDOW\)=.*/\1=$*/' \
		-e 's/\(LWIP_FRAMES\)=.*/\1=$(if $(filter 2048,$*),2048,512)/' \
		$(O)/t/bench-lwip/lwip-$*/.config
	$(Q)+$(MAKE) -s O=$(O)/t/bench-lwip/lwip-$* all
bench-lwip: bench-lwip-64 bench-lwip-512 bench-lwip-2048 ## lwIP beside sockets: ROUNDS=3
	$(Q)+$(MAKE) -s O=$(O)/t/bench-lwip $(O)/t/bench-lwip/relay
	$(Q)sh tests/lwip/bench.sh $(O)/t/bench-lwip $(ROUNDS)
soak-frames: deps ## fuzz_lwip until N=1000000 frames came
	$(Q)sh tests/fuzz/run.sh $(O) frames=$(or $(N),1000000) fuzz_lwip
soak-debian13: vm-program ## unit tests, interop, packages and boots of Debian 13, as root
	@status=0; sh tests/debian13.sh $(O) soak || status=1; \
	RELEASE=trixie $(vm) tests/vm/test_debian.sh || status=1; \
	exit $$status
soak-lwip: deps ## 200 cases of bad networks, and all of bad servers, over lwIP
	$(Q)sh tests/run.sh $(O) soak-lwip
.PHONY: bench-lwip soak-frames soak-lwip soak-debian13
