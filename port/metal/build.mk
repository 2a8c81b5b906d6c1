# SPDX-License-Identifier: BSD-2-Clause
ifeq ($(CONFIG_WORLD_METAL),y)
port-y += $(addprefix port/metal/, console.o mem.o $(board).o)
port-$(CONFIG_METAL_VIRT) += port/virtio.o port/metal/virtio_net.o
port-$(CONFIG_METAL_LM3S6965) += port/metal/stellaris_ether.o

# Otherwise the compiler makes memcpy() of the loop in memcpy().
$(O)/port/metal/mem.o: CFLAGS += -fno-tree-loop-distribute-patterns
$(O)/port/metal/%.o: port/metal/%.S
	$(call say,AS,$@)
	$(in-dir)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<
endif
