# SPDX-License-Identifier: BSD-2-Clause
# One non-recursive Makefile; core, port, boot and tests only append objects.
# make help lists the targets.
# ARCH= is another CPU, with a build directory of its own.
ifeq ($(origin O),undefined)
O := build$(patsubst %,/%,$(filter-out x86_64,$(ARCH)))
endif
# One name for each file: the lists of what an object is made of have it.  The path
# of the tree may hold blanks, which end a word of patsubst.
override O := $(patsubst :%,%,$(subst :$(CURDIR)/,,:$(abspath $(O))))
# A target that is named by its whole path is that file, too.
$(subst $() ,\ ,$(CURDIR))/$(O)/%: $(O)/%
	@:
PREFIX ?= /usr/local
KCONF ?= kconfig-conf
MCONF ?= kconfig-mconf

.DEFAULT_GOAL := all
no-config := %config clean deps format format-check help fuzz size check% \
	demo demo-lwip boot-chart bench% soak% coverage uefi demo-uefi
ifneq ($(filter-out $(no-config),$(or $(MAKECMDGOALS),all)),)
-include $(O)/.config
endif
# A world may choose its compiler, flags, and the name of its program.
world := $(or $(patsubst "%",%,$(CONFIG_WORLD)),linux)
program := nbdboot
-include boot/$(world)/world.mk
ifneq ($(if $(filter linux,$(world)),$(filter-out x86_64,$(ARCH))),)
include port/linux/cpu.mk
endif

ifeq ($(origin CC),default)
CC = musl-gcc
endif
# A static program by default; STATIC= is for a build with sanitizers.
STATIC ?= -static
# gcc sees the whole program when it links.  Archives of what -flto leaves need
# an ar of gcc's.
gcc := $(patsubst musl-gcc,gcc,$(filter %gcc,$(CC)))
ifeq ($(origin AR),default)
AR := $(addsuffix -,$(gcc))ar
endif
OPT ?= -Os $(if $(gcc),-flto=auto)
CFLAGS ?= $(OPT) -g
# The date of the latest commit, which no correct clock is behind.
BUILT ?= $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct \
	2>/dev/null),0)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
Q := $(if $(V),,@)
# make -s is silent: thousands of objects are made so.
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V)$(silent),,@printf '  %-7s %s\n' '$(1)' '$(patsubst $(O)/%,%,$(2))')

# Makes the directory of what is made, without a process for each object in it.
in-dir = $(if $(made-$(@D)),,$(eval made-$(@D) := y)$(shell mkdir -p $(@D)))

# Frame pointers for profiles and for the stacks of a boot that hangs: each
# function that calls another has one.  HARDEN= for a world without a libc.
leaf := $(shell $(CC) -Werror -mno-omit-leaf-frame-pointer -E -x c /dev/null \
	>/dev/null 2>&1 && echo -mno-omit-leaf-frame-pointer)
HARDEN ?= -fstack-protector-strong $(fortify)
# musl has nothing to fortify with, and the sanitizers see more without it.
fortify = $(if $(findstring musl,$(CC)$(musl-dir))$(findstring sanitize,$(CFLAGS)),,\
	$(if $(filter -O%,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
base = -std=c11 -fno-omit-frame-pointer $(leaf) $(HARDEN) -fno-pie \
	-ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables \
	$(no-glibc)
warn := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Werror
cpp = -I. -include $(O)/autoconf.h -MMD -MP
hosted := -D_GNU_SOURCE
# With -flto it warns here, too, and mbedTLS is compiled without warnings.
ldflags = $(STATIC) $(LINKER) $(base) -Wno-stringop-overflow -no-pie \
	-Wl,--gc-sections,--build-id=none \
	-Wl,-z,noseparate-code,-z,norelro,-z,noexecstack \
	-Wl,-z,common-page-size=64,--sort-section=alignment

export KCONFIG_CONFIG := $(O)/.config
# kconfig-conf needs this; all symbols of the project begin with CONFIG_.
export CONFIG_ := CONFIG_
# Otherwise it writes a temporary file beside the source and renames it, which
# fails across devices.
export KCONFIG_OVERWRITECONFIG := 1

all: $(O)/$(program) ## the program, with nbdboot_defconfig unless configured

include core/build.mk port/build.mk boot/build.mk tests/build.mk

core-obj := $(addprefix $(O)/,$(core-y))
port-obj := $(addprefix $(O)/,$(port-y))
boot-obj := $(addprefix $(O)/,$(boot-y))
obj := $(core-obj) $(port-obj) $(boot-obj)

# ---- configuration ----

%_defconfig: configs/%_defconfig | $(O) ## take configs/NAME_defconfig
	$(Q)$(KCONF) --defconfig=$< Kconfig >/dev/null
menuconfig: $(O)/.config ## choose what the program contains
	$(Q)KCONF="$(KCONF)" MCONF="$(MCONF)" sh configs/menuconfig.sh $(O)
oldconfig: | $(O) ## ask for the symbols that are new
	$(Q)$(KCONF) --oldconfig Kconfig
savedefconfig: | $(O) ## write the configuration as BUILD/defconfig
	$(Q)$(KCONF) --savedefconfig=$(O)/defconfig Kconfig
	@echo 'wrote $(O)/defconfig'
# Makes a new .config, or adds new symbols to an old one.
$(O)/.config: Kconfig core/Kconfig port/Kconfig boot/Kconfig | $(O)
	$(Q)$(KCONF) $(if $(wildcard $@),--olddefconfig,\
		--defconfig=configs/nbdboot_defconfig) Kconfig >/dev/null
	$(Q)touch $@

# make can include .config; C needs the same values as macros.  Nothing is compiled
# again for values that are the same.
$(O)/autoconf.h: $(O)/.config
	$(Q)sed -n -e 's/^\(CONFIG_[A-Z0-9_]*\)=y$$/#define \1 1/p' \
	       -e 's/^\(CONFIG_[A-Z0-9_]*\)=\([^y].*\)$$/#define \1 \2/p' \
	       $< > $@.new
	$(Q)cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# ---- the program ----

# musl-gcc hides the headers of the kernel along with those of glibc.  Make only
# the kernel's visible.
kinc := $(if $(findstring musl,$(CC)$(musl-dir)),$(O)/kinc)
kinc-of := $(if $(triplet),/usr/$(triplet)/include,/usr/include)
cpp += $(if $(kinc),-idirafter $(kinc))
$(O)/kinc: | $(O)
	$(Q)mkdir -p $@
	$(Q)ln -sfn $(kinc-of)/linux $(kinc-of)/asm-generic $(kinc-of)/mtd \
		$(kinc-of)/$(if $(triplet),,$$(gcc -print-multiarch)/)asm $@
	$(Q)mkdir -p $@/sys
	$(Q)ln -sfn /usr/include/$$(gcc -print-multiarch)/sys/sdt*.h $@/sys/

$(O)/libcore.a: $(core-obj)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(O)/libport.a: $(port-obj)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
# A world that links in another way defines these two in its world.mk, and the
# libraries that it needs in world-lib.
link ?= $(CC) $(CFLAGS) $(ldflags) -o $@ $^ $(LDLIBS)
finish ?= $(triplet:%=%-)strip -s -R .comment -R .note.gnu.property -o $@ $<
$(O)/$(program).debug: $(boot-obj) $(O)/libport.a $(O)/libcore.a \
		$(world-lib) $(mbedtls-lib)
	$(call say,LD,$@)
	$(Q)$(link)
$(O)/$(program): $(O)/$(program).debug
	$(call say,STRIP,$@)
	$(Q)$(finish)

$(core-obj): hosted := -ffreestanding
$(O)/boot/words/version.o: cpp += -DNBDBOOT_VERSION='"$(VERSION)"' \
	-DNBDBOOT_BUILT=$(BUILT)
$(obj): $(O)/%.o: %.c $(O)/autoconf.h | $(kinc) $(musl-ready)
	$(call say,CC,$@)
	$(in-dir)
	$(Q)$(CC) $(base) $(warn) $(hosted) $(cpp) $(CFLAGS) -c -o $@ $<

pages := $(wildcard boot/*/*.[1-8])
# Those whose commands the program has.
units := $(if $(CONFIG_BOOT_SCRIPTS),boot/systemd/nbdboot@.service) \
	$(if $(CONFIG_BOOT_WATCH),$(wildcard boot/systemd/nbdboot-watch*.service))
rules := $(if $(CONFIG_BOOT_LIST),boot/systemd/60-nbdboot.rules)
rulesdir := $(PREFIX)/lib/udev/rules.d
unitdir := $(PREFIX)/lib/systemd/system
# Units, rules and scripts have it without quotes, and sed puts it there.
comma := ,
odd := $(foreach c,' " \ & | $(comma) ; % $$ ` < > ( ) [ ] { } * ? !,$(findstring \
	$c,$(PREFIX)))$(wordlist 2,9,[$(PREFIX)])$(filter-out /%,$(PREFIX))
ifneq ($(and $(filter install%,$(MAKECMDGOALS)),$(strip $(odd))),)
$(error PREFIX=$(PREFIX): it must begin with "/", and have no blank and no \
	character of a shell, of sed or of a unit)
endif
traces := $(filter-out %.8,$(wildcard boot/trace/nbd*))
install: $(O)/nbdboot ## to DESTDIR, PREFIX=/usr/local
	install -D -m 755 $< '$(DESTDIR)$(PREFIX)/sbin/nbdboot'
	$(Q)$(foreach page,$(pages),install -D -m 644 $(page) \
		'$(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix \
		$(page)))/$(notdir $(page))' &&) :
	$(Q)$(foreach trace,$(if $(CONFIG_BOOT_LATENCY),$(traces)),\
		install -D -m 755 $(trace) \
		'$(DESTDIR)$(PREFIX)/sbin/$(notdir $(trace))' &&) :
	$(Q)$(foreach unit,$(units),\
		mkdir -p '$(DESTDIR)$(unitdir)' && \
		sed -E 's,^(ExecStart=|Environment=NBDBOOT=)nbdboot,\1$(PREFIX)/sbin/nbdboot,' $(unit) \
			>'$(DESTDIR)$(unitdir)/$(notdir $(unit))' && \
		chmod 644 '$(DESTDIR)$(unitdir)/$(notdir $(unit))' &&) :
	$(Q)$(foreach rule,$(rules),mkdir -p '$(DESTDIR)$(rulesdir)' && \
		sed 's,"nbdboot ,"$(PREFIX)/sbin/nbdboot ,' $(rule) \
			>'$(DESTDIR)$(rulesdir)/$(notdir $(rule))' &&) :

size: ## the size of each configuration, each built apart
	$(Q)sh tests/size.sh $(O)

format: ## run clang-format
	clang-format -i $$(git ls-files '*.c' '*.h')

$(O):
	$(Q)mkdir -p $@
clean: ## remove the build directory
	rm -rf $(O)

# Lists the targets whose lines end with "## " and a text.
help: ## this list
	@sed -n 's/^\([a-z%_-]*\):[^=].*## /\1\t/p; s/^\([a-z-]*\): ## /\1\t/p' \
		$(MAKEFILE_LIST) | sed 's/^%/NAME/' | \
		awk -F'\t' '{ printf "  make %-18s%s\n", $$1, $$2 }'
	@echo '  O=DIR CC=gcc V=1 with any of them: another build directory,'
	@echo '  another compiler, each command printed; ARCH=aarch64, armv7, i386,'
	@echo '  riscv64 or s390x: for another CPU, in build/ARCH'

-include $(obj:.o=.d)
.DELETE_ON_ERROR:
.PHONY: all menuconfig oldconfig savedefconfig install size format clean \
	help
