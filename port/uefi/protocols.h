/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's protocols, as far as this program uses them; see efi.h. */
#ifndef PORT_UEFI_PROTOCOLS_H
#define PORT_UEFI_PROTOCOLS_H

#include "port/uefi/efi.h"

struct efi_loaded_image {
	uint32_t revision;
	efi_handle parent;
	struct efi_system *st;
	efi_handle device;
	struct efi_path *path;
	void *reserved;
	uint32_t options_len;
	void *options;
	void *base;
	uint64_t size;
	unsigned code_type, data_type;
	void *unload;
};

struct efi_mac {
	uint8_t a[32];
};

struct efi_network_mode {
	uint32_t state; /* 0 stopped, 1 started, 2 initialised */
	uint32_t mac_len, header_len, max_packet, nvram[2];
	uint32_t filter_mask, filter, max_multicast, n_multicast;
	struct efi_mac multicast[16], mac, broadcast, permanent;
	uint8_t type;
	efi_bool mac_changeable, multiple_tx, has_media, media;
};

#define EFI_NETWORK_UNICAST	  1u
#define EFI_NETWORK_BROADCAST	  4u
#define EFI_NETWORK_PROMISCUOUS	  8u
#define EFI_NETWORK_ALL_MULTICAST 0x10u

struct efi_network {
	uint64_t revision;
	efi_status (*start)(struct efi_network *);
	efi_status (*stop)(struct efi_network *);
	efi_status (*initialize)(struct efi_network *, size_t rx, size_t tx);
	void *reset;
	efi_status (*shutdown)(struct efi_network *);
	efi_status (*filters)(struct efi_network *, uint32_t on, uint32_t off,
			      efi_bool reset_multicast, size_t n,
			      struct efi_mac *multicast);
	void *station, *statistics, *multicast, *nvdata;
	efi_status (*get_status)(struct efi_network *, uint32_t *interrupts,
				 void **sent);
	efi_status (*transmit)(struct efi_network *, size_t header, size_t len,
			       void *frame, struct efi_mac *from,
			       struct efi_mac *to, uint16_t *protocol);
	efi_status (*receive)(struct efi_network *, size_t *header, size_t *len,
			      void *frame, struct efi_mac *from,
			      struct efi_mac *to, uint16_t *protocol);
	efi_event wait;
	struct efi_network_mode *mode;
};

struct efi_pci {
	void *poll_mem, *poll_io;
	efi_status (*mem_read)(struct efi_pci *, unsigned width, uint8_t bar,
			       uint64_t at, size_t n, void *);
	efi_status (*mem_write)(struct efi_pci *, unsigned width, uint8_t bar,
				uint64_t at, size_t n, void *);
	void *io_read, *io_write;
	efi_status (*pci_read)(struct efi_pci *, unsigned width, uint32_t at,
			       size_t n, void *);
};

struct efi_pxe_packet {
	uint8_t raw[1472];
};

union efi_ip {
	uint32_t align[4];
	uint8_t v4[4], v6[16];
};

struct efi_pxe_mode {
	efi_bool started, v6_available, v6_supported, v6;
	efi_bool bis[2], auto_arp, send_guid, discover_valid;
	efi_bool ack_received, proxy_received, pxe_discover_valid;
	efi_bool reply_received, bis_reply, icmp_error, tftp_error, callbacks;
	uint8_t ttl, tos;
	union efi_ip station, mask;
	struct efi_pxe_packet discover, ack, proxy, pxe_discover, reply;
};

#define EFI_PXE_READ_FILE 2u

struct efi_pxe {
	uint64_t revision;
	void *start, *stop, *dhcp, *discover;
	efi_status (*tftp)(struct efi_pxe *, unsigned what, void *buf,
			   efi_bool overwrite, uint64_t *len, size_t *block,
			   const union efi_ip *server, const char *name,
			   void *info, efi_bool no_buffer);
	void *udp_write, *udp_read, *filter, *arp, *parameters, *set_ip;
	void *set_packets;
	struct efi_pxe_mode *mode;
};

struct efi_media {
	uint32_t id;
	efi_bool removable, present, partition, read_only, write_caching;
	uint32_t block, align;
	uint64_t last, lowest_aligned;
	uint32_t blocks_per_physical, granularity;
};

#define EFI_BLOCK_IO_REVISION 0x2001fu

struct efi_block_io {
	uint64_t revision;
	struct efi_media *media;
	efi_status (*reset)(struct efi_block_io *, efi_bool extended);
	efi_status (*read)(struct efi_block_io *, uint32_t id, uint64_t lba,
			   size_t len, void *buf);
	efi_status (*write)(struct efi_block_io *, uint32_t id, uint64_t lba,
			    size_t len, void *buf);
	efi_status (*flush)(struct efi_block_io *);
};

struct efi_token {
	efi_event event;
	efi_status status;
};

struct efi_block_io2 {
	struct efi_media *media;
	efi_status (*reset)(struct efi_block_io2 *, efi_bool extended);
	efi_status (*read)(struct efi_block_io2 *, uint32_t id, uint64_t lba,
			   struct efi_token *, size_t len, void *buf);
	efi_status (*write)(struct efi_block_io2 *, uint32_t id, uint64_t lba,
			    struct efi_token *, size_t len, void *buf);
	efi_status (*flush)(struct efi_block_io2 *, struct efi_token *);
};

#define EFI_FILE_READ 1u

struct efi_file {
	uint64_t revision;
	efi_status (*open)(struct efi_file *, struct efi_file **,
			   const efi_char *name, uint64_t mode,
			   uint64_t attributes);
	efi_status (*close)(struct efi_file *);
	void *remove;
	efi_status (*read)(struct efi_file *, size_t *len, void *buf);
	void *write;
	void *get_position;
	efi_status (*seek)(struct efi_file *, uint64_t at);
	efi_status (*info)(struct efi_file *, const struct efi_guid *,
			   size_t *len, void *buf);
};

struct efi_file_info {
	uint64_t size, file_size, physical;
	uint8_t times[48];
	uint64_t attributes;
	efi_char name[256];
};

struct efi_volume {
	uint64_t revision;
	efi_status (*open)(struct efi_volume *, struct efi_file **root);
};

struct efi_load_file2 {
	efi_status (*load)(struct efi_load_file2 *, struct efi_path *,
			   efi_bool by_boot_policy, size_t *len, void *buf);
};

/* Makes and ends an instance of a protocol of the network. */
struct efi_binding {
	efi_status (*create)(struct efi_binding *, efi_handle *child);
	efi_status (*destroy)(struct efi_binding *, efi_handle child);
};

#endif
