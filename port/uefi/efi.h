/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's tables and services, as far as this program uses them (UEFI
 * specification 2.10).  Members that are not used are `void *`, so that the
 * others keep their places.  The compiler targets Windows, whose calling
 * convention is the firmware's.
 */
#ifndef PORT_UEFI_EFI_H
#define PORT_UEFI_EFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t efi_status;
typedef void *efi_handle;
typedef void *efi_event;
typedef uint16_t efi_char; /* UCS-2 */
typedef uint8_t efi_bool;

struct efi_guid {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
};

#define EFI_ERROR(n)	      (0x8000000000000000u | (n))
#define EFI_SUCCESS	      0u
#define EFI_LOAD_ERROR	      EFI_ERROR(1u)
#define EFI_INVALID_PARAMETER EFI_ERROR(2u)
#define EFI_BAD_BUFFER_SIZE   EFI_ERROR(4u)
#define EFI_BUFFER_TOO_SMALL  EFI_ERROR(5u)
#define EFI_NOT_READY	      EFI_ERROR(6u)
#define EFI_DEVICE_ERROR      EFI_ERROR(7u)
#define EFI_WRITE_PROTECTED   EFI_ERROR(8u)
#define EFI_OUT_OF_RESOURCES  EFI_ERROR(9u)
#define EFI_MEDIA_CHANGED     EFI_ERROR(13u)
#define EFI_NOT_FOUND	      EFI_ERROR(14u)
#define EFI_ACCESS_DENIED     EFI_ERROR(15u)
#define EFI_TIMEOUT	      EFI_ERROR(18u)
#define EFI_ABORTED	      EFI_ERROR(21u)
#define EFI_TFTP_ERROR	      EFI_ERROR(23u)
#define EFI_SECURITY	      EFI_ERROR(26u)
#define EFI_CONNECTION_FIN    EFI_ERROR(104u)

#define EFI_TPL_APPLICATION 4u
#define EFI_TPL_CALLBACK    8u
#define EFI_TPL_NOTIFY	    16u

struct efi_table {
	uint64_t signature;
	uint32_t revision, size, crc, reserved;
};

/* ---- paths ---- */

struct efi_path {
	uint8_t type, subtype, len[2]; /* of this node, with these 4 bytes */
};

#define EFI_PATH_MESSAGE 3u
#define EFI_PATH_URI	 24u
#define EFI_PATH_MEDIA	 4u
#define EFI_PATH_VENDOR	 3u
#define EFI_PATH_FILE	 4u
#define EFI_PATH_END	 0x7fu

/* ---- console ---- */

struct efi_key {
	uint16_t scan;
	efi_char c;
};

#define EFI_SCAN_ESC 0x17u

struct efi_text_in {
	void *reset;
	efi_status (*read_key)(struct efi_text_in *, struct efi_key *);
	efi_event wait;
};

struct efi_text_out {
	void *reset;
	efi_status (*output)(struct efi_text_out *, const efi_char *);
	void *rest[7];
	void *mode;
};

/* ---- services ---- */

enum efi_allocate { EFI_ANY_PAGES };

#define EFI_LOADER_DATA 2u

#define EFI_BY_DRIVER 0x10u
#define EFI_EXCLUSIVE 0x20u
#define EFI_GET	      0x02u

#define EFI_EVENT_TIMER	    0x80000000u
#define EFI_EVENT_SIGNAL    0x00000200u
#define EFI_TIMER_RELATIVE  2u
#define EFI_BY_PROTOCOL	    2u
#define EFI_PAGE	    4096u
#define EFI_NATIVE_PROTOCOL 0u

typedef void efi_notify(efi_event event, void *ctx);

struct efi_boot {
	struct efi_table hdr;
	uint64_t (*raise_tpl)(uint64_t tpl);
	void (*restore_tpl)(uint64_t tpl);
	efi_status (*allocate_pages)(unsigned how, unsigned type, size_t pages,
				     uint64_t *at);
	efi_status (*free_pages)(uint64_t at, size_t pages);
	void *get_memory_map, *allocate_pool;
	efi_status (*free_pool)(void *p);
	efi_status (*create_event)(uint32_t type, uint64_t tpl, efi_notify *fn,
				   void *ctx, efi_event *e);
	efi_status (*set_timer)(efi_event e, unsigned type, uint64_t in_100ns);
	efi_status (*wait_for_event)(size_t n, efi_event *e, size_t *which);
	efi_status (*signal_event)(efi_event e);
	efi_status (*close_event)(efi_event e);
	efi_status (*check_event)(efi_event e);
	efi_status (*install)(efi_handle *h, const struct efi_guid *g,
			      unsigned kind, void *protocol);
	void *reinstall;
	efi_status (*uninstall)(efi_handle h, const struct efi_guid *g,
				void *protocol);
	efi_status (*handle_protocol)(efi_handle h, const struct efi_guid *g,
				      void **protocol);
	void *reserved, *register_notify, *locate_handle;
	efi_status (*locate_path)(const struct efi_guid *g,
				  const struct efi_path **path, efi_handle *h);
	void *install_table;
	efi_status (*load_image)(efi_bool by_boot_policy, efi_handle parent,
				 struct efi_path *path, void *from, size_t len,
				 efi_handle *h);
	efi_status (*start_image)(efi_handle h, size_t *data_len,
				  efi_char **data);
	void *exit;
	efi_status (*unload_image)(efi_handle h);
	void *exit_boot_services, *monotonic;
	efi_status (*stall)(size_t us);
	efi_status (*set_watchdog)(size_t s, uint64_t code, size_t len,
				   efi_char *text);
	efi_status (*connect)(efi_handle h, efi_handle *drivers,
			      struct efi_path *rest, efi_bool recursive);
	efi_status (*disconnect)(efi_handle h, efi_handle driver,
				 efi_handle child);
	efi_status (*open)(efi_handle h, const struct efi_guid *g,
			   void **protocol, efi_handle agent,
			   efi_handle controller, uint32_t how);
	efi_status (*close)(efi_handle h, const struct efi_guid *g,
			    efi_handle agent, efi_handle controller);
	void *open_information, *protocols_per_handle;
	efi_status (*locate_handles)(unsigned by, const struct efi_guid *g,
				     void *key, size_t *n, efi_handle **list);
	efi_status (*locate)(const struct efi_guid *g, void *registration,
			     void **protocol);
	void *install_many, *uninstall_many, *crc32, *copy, *set;
	efi_status (*create_event_ex)(uint32_t type, uint64_t tpl,
				      efi_notify *fn, const void *ctx,
				      const struct efi_guid *group,
				      efi_event *e);
};

#define EFI_VARIABLE_BOOT_AND_RUNTIME 0x6u /* not NON_VOLATILE */

/* Local time, and how many minutes UTC is later (2047: not known). */
struct efi_time {
	uint16_t year;
	uint8_t month, day, hour, minute, second, pad;
	uint32_t ns;
	int16_t zone;
	uint8_t daylight, pad2;
};

struct efi_runtime {
	struct efi_table hdr;
	efi_status (*get_time)(struct efi_time *t, void *capabilities);
	void *time[3], *virtual[2];
	efi_status (*get_variable)(const efi_char *name,
				   const struct efi_guid *vendor,
				   uint32_t *attributes, size_t *len,
				   void *data);
	void *next_variable;
	efi_status (*set_variable)(const efi_char *name,
				   const struct efi_guid *vendor,
				   uint32_t attributes, size_t len,
				   const void *data);
};

struct efi_config {
	struct efi_guid guid;
	void *table;
};

struct efi_system {
	struct efi_table hdr;
	efi_char *vendor;
	uint32_t vendor_revision;
	efi_handle in_handle;
	struct efi_text_in *in;
	efi_handle out_handle;
	struct efi_text_out *out;
	efi_handle err_handle;
	struct efi_text_out *err;
	struct efi_runtime *rt;
	struct efi_boot *bs;
	size_t n_config;
	struct efi_config *config;
};

#endif
