# SPDX-License-Identifier: BSD-2-Clause
# Machines in QEMU.  Each target first installs its tools, and then builds the
# program in a make of its own, which reads the configuration.
vm = O='$(O)' ACCEL='$(ACCEL)' ARCH='$(ARCH)' sh
vm-program:
	@sh tests/deps.sh build demo $(if $(ARCH),metal check) $(if $(filter-out demo boot-chart,$(MAKECMDGOALS)),check)
	$(Q)+$(MAKE) --no-print-directory $(O)/nbdboot

demo: vm-program ## boot a machine in QEMU: INTERACTIVE=1 VERBOSE=1 ARCH=aarch64
	@INTERACTIVE='$(INTERACTIVE)' VERBOSE='$(VERBOSE)' \
		$(vm) tests/vm/demo.sh

demo-lwip: ## the same without an operating system: BOARD=virt or lm3s6965
	@sh tests/deps.sh build metal
	@BOARD='$(BOARD)' $(vm) tests/vm/demo_metal.sh

demo-uefi: vm-program ## a machine's firmware boots by PXE and nbdboot.efi
	@$(vm) tests/vm/demo_uefi.sh

boot-chart: vm-program ## draw tests/bench/boot.svg, from the boot of make demo
	@CHART=tests/bench/boot.svg $(vm) tests/vm/demo.sh

check-vm: vm-program ## the tests in virtual machines, as TAP
	@status=0; for test in tests/vm/test_*.sh; do \
		echo "# $$test"; \
		$(vm) $$test || status=1; \
	done; exit $$status

cpus := aarch64 armv7 i386 riscv64 s390x
check-cpus: ## boot a machine of each CPU of make ARCH=: CPUS='s390x'
	@sh tests/deps.sh build demo check cpus
	@status=0; for cpu in $(or $(CPUS),$(cpus)); do \
		O='$(O)' ACCEL='$(ACCEL)' ARCH=$$cpu sh tests/vm/cpu.sh || \
			status=1; \
	done; exit $$status

# Those whose machines have no program of this one but ours.
aarch64 := aarch64 boot dialects down onfail overlay tls_boot toram
check-aarch64: ## tests in machines with an AArch64 CPU
	@sh tests/deps.sh
	$(Q)+$(MAKE) --no-print-directory ARCH=aarch64 O=$(O)/aarch64 all
	@status=0; for test in $(aarch64); do \
		ARCH=aarch64 O=$(O)/aarch64 ACCEL='$(ACCEL)' \
			sh tests/vm/test_$$test.sh || status=1; \
	done; exit $$status

# Those that depend most on the driver.  The bpftrace of Debian 12 does not know
# so new a kernel.
newest := connect reconnect scale survive tls
check-newest: vm-program ## tests in machines with the newest kernel of Debian
	@status=0; for test in $(newest); do \
		VM_SUITE=testing $(vm) tests/vm/test_$$test.sh || status=1; \
	done; exit $$status

bench-connect: vm-program ## connect beside nbd-client: ROUNDS=20
	@ROUNDS='$(ROUNDS)' $(vm) tests/vm/bench/connect.sh

# KIND=rsa or ecdsa is the server's key; CIPHER= (AES-256-GCM, for example) is
# for both sides.
bench-tls: vm-program ## TLS beside nbd-client: ROUNDS=10 SECONDS_EACH=4 KIND=
	@ROUNDS='$(ROUNDS)' SECONDS_EACH='$(SECONDS_EACH)' KIND='$(KIND)' \
		CIPHER='$(CIPHER)' $(vm) tests/vm/bench/tls.sh
bench-boot: vm-program ## boots beside dracut and others, as root: ROUNDS=5
	@ROUNDS='$(ROUNDS)' FULL='$(FULL)' $(vm) tests/vm/bench/boot.sh
bench-drivers: vm-program ## our initramfs with few drivers and with all: ROUNDS=5
	@KINDS='$(or $(KINDS),nbdboot nbdboot-all)' COUNTED=1 ROUNDS='$(ROUNDS)' \
		MAKE_TARGET=$@ $(vm) tests/vm/bench/boot.sh
bench-tune: vm-program ## the settings of tune at several round trips: DELAYS='0 10' WORKS=queue
	@DELAYS='$(DELAYS)' WORKS='$(WORKS)' $(vm) tests/vm/bench/tune.sh
bench-distance: vm-program ## boots from a server far away, as root: DELAYS='0 80' ROUNDS=3 COUNTED=1 LINK=1 MACHINE=uml
	@ROUNDS='$(ROUNDS)' DELAYS='$(DELAYS)' ROOTS='$(ROOTS)' KINDS='$(KINDS)' \
		COUNTED='$(COUNTED)' LINK='$(LINK)' MACHINE='$(MACHINE)' \
		$(vm) tests/vm/bench/distance.sh
bench-verity: vm-program ## a root with and without a hash tree: ROUNDS=1
	@ROUNDS='$(ROUNDS)' $(vm) tests/vm/bench/verity.sh
bench-trips: vm-program ## exchanges with the server up to a mounted root: VERBOSE=1
	@VERBOSE='$(VERBOSE)' $(vm) tests/vm/bench/trips.sh
bench-toram: vm-program ## an image to RAM, beside wget: ROUNDS=5
	@ROUNDS='$(ROUNDS)' $(vm) tests/vm/bench/toram.sh
bench-clone: vm-program ## a root that moves to a disk, at several paces: PACES='default 25' TURNS=5 VERBOSE=1
	@PACES='$(PACES)' RATE='$(RATE)' DELAY='$(DELAY)' TURNS='$(TURNS)' \
		VERBOSE='$(VERBOSE)' \
		SECONDS_EACH='$(SECONDS_EACH)' $(vm) tests/vm/bench/clone.sh
bench-costs: vm-program ## what each tool costs that watches a null server
	@$(vm) tests/vm/bench/costs.sh
bench-profile: vm-program ## fio, flame graphs, the costs of watching: SECONDS_EACH=1
	@sh tests/deps.sh bench
	@SECONDS_EACH='$(SECONDS_EACH)' $(vm) tests/vm/bench/profile.sh
	@$(vm) tests/vm/bench/costs.sh
bench-uefi: vm-program ## nbdboot.efi beside iPXE, as root: ROUNDS=5 DELAYS='0 10'
	@ROUNDS='$(ROUNDS)' DELAYS='$(DELAYS)' $(vm) tests/vm/bench/uefi.sh
# By instructions in a machine, and natively by the same code over a tap device.
bench-uefi-tls: vm-program bench-lwip-1024 ## bulk of nbdboot.efi with TLS, as root: MIB=64
	@MIB='$(MIB)' $(vm) tests/vm/bench/uefi_tls.sh
	$(Q)+$(MAKE) -s O=$(O)/t/bench-lwip $(O)/t/bench-lwip/relay
	@MIB='$(MIB)' sh tests/lwip/tls.sh $(O)/t/bench-lwip $(ROUNDS)
bench-dropin: vm-program ## Debian's initramfs with us and with nbd-client: OUTAGE=60
	@KINDS='initramfs-tools dracut nbd-client' OUTAGE='$(or $(OUTAGE),60)' \
		VM_LIMIT=900 $(vm) tests/vm/test_dropin.sh
soak-dropin: vm-program ## each form of ours, LTSP, Debian 12 to 14: OUTAGE=60
	@KINDS='initramfs-tools name networkd dep efi efi-dracut dracut plain module tftp ltsp ltsp-image' \
		OUTAGE='$(or $(OUTAGE),60)' VM_LIMIT=900 $(vm) tests/vm/test_dropin.sh
	@KINDS='initramfs-tools name networkd dep efi efi-dracut dracut plain module tftp ltsp' \
		OUTAGE='$(or $(OUTAGE),60)' VM_LIMIT=900 $(vm) tests/vm/test_dropin13.sh
	@RELEASE=testing VM_SUITE=testing KINDS='initramfs-tools networkd dracut' \
		OUTAGE='$(or $(OUTAGE),60)' VM_LIMIT=900 $(vm) tests/vm/test_dropin.sh
soak-newer: vm-program ## test_scale with Linux 6.12: the driver changed most there
	@VM_SUITE=backports $(vm) tests/vm/test_scale.sh
soak-images: vm-program ## a table of images as people have them, as root: ONLY='lvm' HOOKS='init dracut12' KEEP=1
	@sh tests/deps.sh images
	$(Q)+$(MAKE) --no-print-directory O='$(O)' deb >/dev/null
	@ONLY='$(ONLY)' HOOKS='$(HOOKS)' KEEP='$(KEEP)' $(vm) tests/vm/soak_images.sh
soak-login: vm-program ## logins at a switch port: all methods, refusals, a reroot
	@SOAK=1 $(vm) tests/vm/test_login.sh
soak-images-uefi: vm-program ## bad images, and tries in a variable of UEFI firmware
	@$(vm) tests/vm/soak_images_uefi.sh
soak-keep: vm-program ## a login by sshd while the server is away: RELEASES='12 13'
	@RELEASES='$(or $(RELEASES),12 13)' $(vm) tests/vm/soak_keep.sh
soak-suspend: vm-program ## suspends to RAM, for hours on the clock: ROUNDS=20
	@ROUNDS='$(or $(ROUNDS),20)' $(vm) tests/vm/test_suspend.sh
soak-uefi: vm-program ## nbdboot.efi with outages of 60 s and lost frames
	@OUTAGE=60 LOSSES='0 1000 5000 10000 20000' \
		$(vm) tests/vm/test_uefi_net.sh
soak-uefi-net: vm-program ## nbdboot.efi by PXE and HTTP, in many networks: ONLY=
	@ONLY='$(ONLY)' $(vm) tests/vm/soak_uefi_net.sh
# Each outage a hundred times, a root without its server for five minutes, ten
# times out of memory, forty times more and fewer connections.
soak: soak-sim soak-unit soak-lint soak-cpus soak-newer soak-faults soak-debian13 soak-boot soak-prefetch soak-mapped soak-clone soak-clone-debian soak-cache soak-verity soak-reroot soak-dropin soak-suspend soak-images soak-images-uefi vm-program ## simulations and outages for hours
	@status=0; export VM_LIMIT=14400 PAUSES=1; \
	ROUNDS=100 OUTAGE=60 $(vm) tests/vm/test_reconnect.sh || status=1; \
	ROUNDS=40 STORMS=200 $(vm) tests/vm/test_scale.sh || status=1; \
	ROUNDS=10 OUTAGE=300 $(vm) tests/vm/test_survive.sh || status=1; \
	exit $$status
soak-boot: vm-program ## boots whose server fails: STEPS='0 5' FAULTS='die stall'
	@STEPS='$(STEPS)' FAULTS='$(FAULTS)' TLS_FAULTS='$(TLS_FAULTS)' \
		OVERLAY_FAULTS='$(OVERLAY_FAULTS)' \
		$(vm) tests/vm/soak_boot.sh
soak-prefetch: vm-program ## fetches whose server fails: STEPS='8 20' FAULTS=die KINDS=written
	@STEPS='$(STEPS)' FAULTS='$(FAULTS)' KINDS='$(KINDS)' $(vm) tests/vm/soak_prefetch.sh
# Reconnect, tls_boot and reroot have TLS, too; scale has nothing of TLS.
mapped := plain/down tls/down plain/suspend tls/suspend plain/tls_boot \
	plain/reconnect plain/scale plain/debian tls/debian plain/reroot
soak-mapped: vm-program ## tests of roots with the root on a mapping: CASES='tls/down plain/scale'
	@status=0; for test in $(or $(CASES),$(mapped)); do \
		echo "# $$test"; MAPPED=$${test%/*} \
			$(vm) tests/vm/test_$${test#*/}.sh || status=1; \
	done; exit $$status
soak-clone: vm-program ## power cuts while a root moves to a disk, and behind it: CUTS=200 FIO=50
	@CUTS='$(CUTS)' FIO='$(FIO)' $(vm) tests/vm/soak_clone.sh
soak-clone-debian: vm-program ## Debian moves to a disk, as root: CASES='move/nvme outage/virtio' ROUNDS=3
	@CASES='$(CASES)' ROUNDS='$(ROUNDS)' OUTAGE='$(OUTAGE)' \
		$(vm) tests/vm/soak_clone_debian.sh
soak-cache: vm-program ## what Debian still reads from the server with a cache, as root: CASES='nvme/squashfs'
	@CASES='$(CASES)' $(vm) tests/vm/soak_cache.sh
soak-ceph: vm-program ## an image on Ceph, whose daemons and gateways are killed: ROUNDS=1
	@ROUNDS='$(ROUNDS)' $(vm) tests/vm/soak_ceph.sh
soak-verity: vm-program ## servers that flip a bit in 1,000 blocks: ROUNDS=3
	@ROUNDS='$(ROUNDS)' $(vm) tests/vm/soak_verity.sh
soak-reroot: vm-program ## reroots: soft, faults, kernels, other inits: INITS=openrc
	@status=0; ROUNDS=5 $(vm) tests/vm/test_reroot.sh || status=1; \
	$(vm) tests/vm/soak_reroot_soft.sh || status=1; \
	$(vm) tests/vm/soak_reroot_faults.sh || status=1; \
	$(vm) tests/vm/soak_reroot_kexec.sh || status=1; \
	INITS='$(INITS)' $(vm) tests/vm/soak_reroot_init.sh || status=1; \
	exit $$status
# VM_SUITE= is backports (6.12) or testing (the newest) in place of 6.1.
soak-tls-kills: vm-program ## servers with TLS, killed at random: ROUNDS=50 VM_SUITE=backports VERSION=1.3
	@ROUNDS='$(ROUNDS)' VM_SUITE='$(VM_SUITE)' VERSION='$(VERSION)' $(vm) tests/vm/soak_tls_kills.sh
soak-tls-bytes: vm-program ## as many GiB over one connection with TLS: GIB=64 CIPHERS=AES-GCM VERSION=1.3
	@GIB='$(GIB)' CIPHERS='$(CIPHERS)' VERSION='$(VERSION)' $(vm) tests/vm/soak_tls_bytes.sh
soak-site: vm-program ## nbdboot-site(7) with Debian by mmdebstrap, by PXE; as root
	@$(vm) tests/vm/soak_site.sh
# The machine crashes, which is the pass: vm/nbd-oops.md.
soak-nbd-oops: vm-program ## a fault of the kernel around which we work
	@$(vm) tests/vm/soak_nbd_oops.sh
soak-dracut: vm-program ## TEST-72-NBD of dracut, as root: CLIENTS='theirs ours' DRACUT=TREE
	@CLIENTS='$(CLIENTS)' DRACUT='$(DRACUT)' $(vm) tests/vm/soak_dracut.sh
soak-cards: vm-program ## boot a machine from each network card of QEMU
	@ONE=1 $(vm) tests/vm/test_cards.sh
.PHONY: check-aarch64 check-cpus check-newest soak-cards soak-newer soak-images soak-images-uefi soak-keep soak-login soak-suspend soak-dracut soak-nbd-oops vm-program demo demo-uefi demo-lwip boot-chart check-vm bench-connect \
	bench-tls bench-boot bench-distance bench-verity bench-drivers bench-toram bench-clone bench-tune bench-costs \
	bench-profile bench-dropin bench-uefi bench-uefi-tls soak-dropin \
	soak-boot soak-prefetch soak-mapped soak-ceph soak-clone soak-clone-debian soak-cache soak-verity soak-reroot soak-uefi soak-uefi-net soak-site \
	soak-tls-kills soak-tls-bytes soak

# A server that test_survive.sh starts.
$(O)/tests/vm/records: tests/vm/records.c $(O)/port/mbedtls/sha1.o \
		$(mbedtls-lib)
	$(call say,CC,$@)
	$(in-dir)
	$(Q)$(CC) $(base) $(warn) $(hosted) $(cpp) $(mbedtls-cpp) $(CFLAGS) \
		$(ldflags) -no-pie -o $@ $^
