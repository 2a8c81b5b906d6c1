# SPDX-License-Identifier: BSD-2-Clause
# `nbdboot help` lists the commands in the order of these lines.
boot-$(CONFIG_BOOT_CLI) += $(addprefix boot/cli/, main.o commands.o \
	args.o out.o target.o) \
	boot/cli/$(if $(CONFIG_BOOT_SCRIPTS),near,nonear).o \
	boot/cli/$(if $(CONFIG_PORT_MBEDTLS),tls,notls)_options.o
boot-$(CONFIG_BOOT_SCRIPTS) += boot/cli/cmd_connect.o boot/cli/cmd_disconnect.o \
	boot/cli/$(if $(CONFIG_BOOT_RECONNECT),slots,noslots)_options.o
boot-$(CONFIG_BOOT_RECONNECT) += boot/cli/cmd_reconnect.o
boot-$(CONFIG_BOOT_WATCH) += boot/cli/cmd_watch.o boot/cli/behind.o
boot-$(CONFIG_BOOT_RECONNECT) += $(addprefix boot/cli/, cmd_scale.o \
	cmd_rotate.o cmd_status.o show.o)
boot-$(CONFIG_BOOT_LATENCY) += boot/cli/cmd_latency.o boot/cli/cmd_top.o \
	boot/cli/loads.o
boot-$(CONFIG_BOOT_TUNE) += boot/cli/cmd_tune.o
boot-$(CONFIG_BOOT_LIST) += boot/cli/cmd_list.o boot/cli/metrics.o \
	boot/cli/$(if $(CONFIG_BOOT_CLONE),clones,noclones).o \
	boot/cli/$(if $(CONFIG_BOOT_IMAGES),image_metrics,noimages).o
boot-$(CONFIG_BOOT_REPORT) += boot/cli/cmd_report.o
boot-$(CONFIG_BOOT_EXPORTS) += boot/cli/cmd_exports.o boot/cli/exports.o
boot-$(CONFIG_BOOT_INFO) += boot/cli/cmd_info.o boot/cli/info.o
boot-$(CONFIG_BOOT_INFO) += $(if $(CONFIG_BOOT_CONTENT),boot/cli/holds.o,\
	boot/cli/noholds.o)
boot-$(CONFIG_BOOT_COPY) += boot/cli/cmd_copy.o boot/cli/copy_open.o \
	boot/cli/$(if $(CONFIG_BOOT_COPY_RESCUE),rescue,norescue)_options.o \
	boot/cli/$(if $(CONFIG_BOOT_COPY_HASH),hash,nohash)_options.o \
	boot/cli/$(if $(CONFIG_BOOT_COPY_TREE),,no)copy_tree.o \
	boot/cli/$(if $(CONFIG_BOOT_COPY_PART),,no)copy_part.o
boot-$(CONFIG_BOOT_MODULES) += boot/cli/cmd_load.o boot/cli/cmd_unload.o
boot-$(CONFIG_BOOT_INIT) += boot/cli/cmd_init.o \
	$(if $(CONFIG_BOOT_SCRIPTS),boot/cli/cmd_switch_root.o) \
	boot/cli/cmd_modprobe.o
boot-$(CONFIG_BOOT_SHUTDOWN) += boot/cli/cmd_shutdown.o \
	boot/cli/$(if $(CONFIG_BOOT_REROOT),next,nonext).o
boot-$(CONFIG_BOOT_REROOT) += boot/cli/cmd_reroot.o
boot-$(CONFIG_BOOT_TIMES) += boot/cli/cmd_boot_time.o boot/cli/chart.o
boot-$(CONFIG_BOOT_PREFETCH) += boot/cli/cmd_prefetch.o
boot-$(CONFIG_BOOT_KEEP) += boot/cli/cmd_keep.o
boot-$(CONFIG_BOOT_IMAGES) += boot/cli/cmd_image.o
boot-$(CONFIG_BOOT_CLONE) += boot/cli/cmd_clone.o
boot-$(CONFIG_BOOT_CACHE) += boot/cli/cmd_cache.o
boot-$(CONFIG_BOOT_SEAL) += $(addprefix boot/cli/, cmd_seal.o \
	cmd_unseal.o sealing.o)
boot-$(CONFIG_BOOT_DIALECTS) += $(if $(CONFIG_BOOT_CLI),boot/cli/cmd_parse_root.o)
boot-$(CONFIG_BOOT_DHCP) += boot/cli/cmd_ifup.o
boot-$(CONFIG_BOOT_RENEW) += boot/cli/cmd_renew.o
boot-$(CONFIG_BOOT_NBD_CLIENT) += $(addprefix boot/cli/, cmd_nbd_client.o \
	nbd_client.o nbdtab.o args_long.o)
boot-$(CONFIG_BOOT_SCRIPTS) += boot/cli/cmd_help.o boot/cli/explain.o
boot-$(CONFIG_BOOT_CLI) += boot/cli/cmd_version.o

# The table of commands names every cmd_NAME.o that is built.
$(O)/boot/cli/commands.o: cpp += -DCLI_COMMANDS='$(patsubst \
	boot/cli/cmd_%.o,C(%),$(filter boot/cli/cmd_%.o,$(boot-y)))'
$(O)/boot/cli/commands.o: boot/cli/build.mk
