# SPDX-License-Identifier: BSD-2-Clause
# Each feature lists its objects, its words, and its steps with a number: a boot
# runs the steps in the order of the numbers, and undoes them in the opposite
# order.  09: once, before the words are known.  10-19: once, what they say.
# 20: drivers.  30: network.  40: device.  50: what is in it.  60: mount.
# 70: what stays in the real system.  80: what does not.  90: the switch.
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/init/, init.o drivers.o mount.o \
	part.o program.o recover.o steps.o switch.o table.o)
boot-$(if $(CONFIG_BOOT_INIT)$(CONFIG_BOOT_COPY_PART),y) += $(addprefix boot/init/, \
	bytes.o gpt.o part_spec.o super.o)
boot-$(CONFIG_BOOT_COPY_PART) += boot/init/disk_part.o
steps-$(CONFIG_BOOT_INIT) += 05-init_kernel \
	10-init_cmdline 20-init_hotplug 24-init_drivers 30-init_network \
	40-init_connect 50-init_part 60-init_mount 70-init_init 90-init_switch

boot-$(CONFIG_BOOT_DISCOVER) += boot/init/discover.o boot/init/version_order.o
words-$(CONFIG_BOOT_DISCOVER) += init_discover

boot-$(CONFIG_BOOT_ONFAIL) += boot/init/onfail.o
words-$(CONFIG_BOOT_ONFAIL) += init_onfail
steps-$(CONFIG_BOOT_ONFAIL) += 09-init_onfail_begin 12-init_onfail_words \
	80-init_onfail_stop

boot-$(CONFIG_BOOT_LOG) += boot/init/remote.o
words-$(CONFIG_BOOT_LOG) += init_remote
steps-$(CONFIG_BOOT_LOG) += 04-init_remote_begin 11-init_remote_words \
	31-init_remote

boot-$(CONFIG_BOOT_IMAGE) += boot/init/image.o
steps-$(CONFIG_BOOT_IMAGE) += 18-init_image 84-init_image_end

boot-$(CONFIG_BOOT_CREDENTIALS) += boot/init/credentials.o \
	boot/init/$(if $(CONFIG_BOOT_SEAL),unseal,nounseal).o
steps-$(CONFIG_BOOT_CREDENTIALS) += 19-init_credentials

boot-$(CONFIG_BOOT_IMAGES) += boot/init/images.o
words-$(CONFIG_BOOT_IMAGES) += init_images
steps-$(CONFIG_BOOT_IMAGES) += 37-init_images 71-init_images_trial \
	77-init_images_ready

boot-$(CONFIG_BOOT_PRELOAD) += boot/init/preload.o
steps-$(CONFIG_BOOT_PRELOAD) += 22-init_preload 41-init_preload_connected \
	58-init_preloaded

tuner := $(if $(CONFIG_BOOT_INIT),$(CONFIG_BOOT_TUNE))
boot-$(tuner) += boot/init/tuner.o
words-$(tuner) += init_tuner
steps-$(tuner) += 38-init_tuner_links 41-init_tuner

watcher := $(if $(CONFIG_BOOT_INIT),$(CONFIG_BOOT_WATCH))
boot-$(CONFIG_BOOT_INIT) += boot/init/$(if $(CONFIG_BOOT_WATCH),,no)spawn.o
boot-$(watcher) += boot/init/watcher.o
words-$(watcher) += init_watcher
steps-$(watcher) += 13-init_watcher_words 43-init_watcher \
	47-init_watcher_tree 63-init_watcher_upper 75-init_watcher_ready

boot-$(CONFIG_BOOT_TORAM) += boot/init/toram.o
words-$(CONFIG_BOOT_TORAM) += init_toram
steps-$(CONFIG_BOOT_TORAM) += 45-init_toram_server 46-init_toram

boot-$(CONFIG_BOOT_PREFETCH) += $(addprefix boot/init/, prefetch.o \
	prefetch_server.o prefetch_tail.o fetcher.o udev_rules.o)
words-$(CONFIG_BOOT_PREFETCH) += init_fetcher
steps-$(CONFIG_BOOT_PREFETCH) += 21-init_fetcher_later 39-init_fetcher_before \
	52-init_fetcher_map 54-init_fetcher_learn 56-init_fetcher \
	59-init_fetcher_learning 61-init_fetcher_mounted

boot-$(CONFIG_BOOT_CLONE) += boot/init/cloner.o boot/init/clone_target.o
words-$(CONFIG_BOOT_CLONE) += init_cloner
steps-$(CONFIG_BOOT_CLONE) += 13-init_cloner_words 28-init_cloner_alone \
	52-init_cloner_local 74-init_cloner

boot-$(CONFIG_BOOT_CACHE) += boot/init/cacher.o
words-$(CONFIG_BOOT_CACHE) += init_cacher
steps-$(CONFIG_BOOT_CACHE) += 13-init_cacher_words 55-init_cacher \
	61-init_cacher_mounted 74-init_cacher_fill

boot-$(CONFIG_BOOT_VERITY) += boot/init/verity.o boot/init/verifier.o \
	boot/init/tree_export.o
words-$(CONFIG_BOOT_VERITY) += init_verifier
steps-$(CONFIG_BOOT_VERITY) += 15-init_verifier_words 16-init_tree_words \
	47-init_tree_connect 49-init_verifier_dhcp \
	51-init_verifier_part 55-init_verifier 59-init_verifier_copy
noverity := $(if $(CONFIG_BOOT_VERITY),,$(CONFIG_BOOT_INIT))
boot-$(noverity) += boot/init/noverity.o
words-$(noverity) += init_noverity
steps-$(noverity) += 15-init_noverity

boot-$(CONFIG_BOOT_USR) += boot/init/usr.o
words-$(CONFIG_BOOT_USR) += init_usr
steps-$(CONFIG_BOOT_USR) += 51-init_usr_part 65-init_usr

boot-$(CONFIG_BOOT_PROGRAMS) += $(addprefix boot/init/, layered.o layers.o \
	programs.o udev_data.o volume.o)
steps-$(CONFIG_BOOT_PROGRAMS) += 48-init_layered

boot-$(CONFIG_BOOT_LOGIN) += boot/init/supplicant.o
words-$(CONFIG_BOOT_LOGIN) += init_supplicant
steps-$(CONFIG_BOOT_LOGIN) += 26-init_supplicant

boot-$(CONFIG_BOOT_CONTENT) += boot/init/content.o boot/init/odd.o

boot-$(CONFIG_BOOT_OVERLAY) += boot/init/overlay.o
words-$(CONFIG_BOOT_OVERLAY) += init_overlay
steps-$(CONFIG_BOOT_OVERLAY) += 14-init_overlay_words 62-init_overlay_connect \
	64-init_overlay

boot-$(CONFIG_BOOT_OSTREE) += $(addprefix boot/init/, composefs.o ostree.o \
	ostree_booted.o ostree_config.o ostree_find.o refuse.o)
words-$(CONFIG_BOOT_OSTREE) += init_ostree init_refuse
steps-$(CONFIG_BOOT_OSTREE) += 13-init_refuse 66-init_ostree

boot-$(CONFIG_BOOT_RENEW) += boot/init/renewer.o
words-$(CONFIG_BOOT_RENEW) += init_renewer
steps-$(CONFIG_BOOT_RENEW) += 72-init_renewer 76-init_renewer_ready

boot-$(CONFIG_BOOT_KEEP) += boot/init/keeper.o
words-$(CONFIG_BOOT_KEEP) += init_keeper
steps-$(CONFIG_BOOT_KEEP) += 85-init_keeper 86-init_keeper_ready

boot-$(CONFIG_BOOT_SHUTDOWN) += boot/init/shutdown.o boot/init/unmount.o
steps-$(CONFIG_BOOT_SHUTDOWN) += 73-init_way_down

# 42-NAME in the table is S(NAME).  make sorts the numbers as text.
$(O)/boot/init/table.o: cpp += -DINIT_STEPS='$(foreach step, \
	$(sort $(steps-y)),S($(word 2,$(subst -, ,$(step)))))'
$(O)/boot/init/table.o: $(wildcard boot/*/build.mk)
