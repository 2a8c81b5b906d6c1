# SPDX-License-Identifier: BSD-2-Clause
# Machines in QEMU.  Each target sees to its tools first, and builds the
# program in a make of its own, which can then read the configuration.
vm = O='$(O)' ACCEL='$(ACCEL)' sh
vm-program:
	@sh tests/deps.sh build demo $(if $(filter-out demo,$(MAKECMDGOALS)),check)
	$(Q)+$(MAKE) --no-print-directory $(O)/nbdboot

# make demo [INTERACTIVE=1] [VERBOSE=1] [ACCEL=kvm]
demo: vm-program
	@INTERACTIVE='$(INTERACTIVE)' VERBOSE='$(VERBOSE)' \
		$(vm) tests/vm/demo.sh

# TAP on standard output.
check-vm: vm-program
	@status=0; for test in tests/vm/test_*.sh; do \
		echo "# $$test"; \
		$(vm) $$test || status=1; \
	done; exit $$status

# make bench-connect [ROUNDS=20]
bench-connect: vm-program
	@ROUNDS='$(ROUNDS)' $(vm) tests/vm/bench/connect.sh

.PHONY: vm-program demo check-vm bench-connect

# make bench-tls [ROUNDS=10] [SECONDS_EACH=4] [KIND=rsa, or ecdsa] [CIPHER=]
bench-tls: vm-program
	@ROUNDS='$(ROUNDS)' SECONDS_EACH='$(SECONDS_EACH)' KIND='$(KIND)' \
		CIPHER='$(CIPHER)' $(vm) tests/vm/bench/tls.sh
.PHONY: bench-tls

# make bench-boot [ROUNDS=5] [FULL=1]; as root
bench-boot: vm-program
	@ROUNDS='$(ROUNDS)' FULL='$(FULL)' $(vm) tests/vm/bench/boot.sh
.PHONY: bench-boot

# Hours: each outage a hundred times, a root that is away for five minutes,
# ten times out of memory, forty times up and down.
soak: vm-program
	@status=0; export VM_LIMIT=14400; \
	ROUNDS=100 OUTAGE=60 $(vm) tests/vm/test_reconnect.sh || status=1; \
	ROUNDS=40 STORMS=200 $(vm) tests/vm/test_scale.sh || status=1; \
	ROUNDS=10 OUTAGE=300 $(vm) tests/vm/test_survive.sh || status=1; \
	exit $$status
.PHONY: soak
