# SPDX-License-Identifier: BSD-2-Clause
port-$(CONFIG_PORT_UEFI) += $(addprefix port/uefi/, console.o disk.o guids.o \
	http.o http_body.o libc.o path.o random.o rest.o snp.o tcp4.o virtio.o world.o) \
	port/virtio.o
