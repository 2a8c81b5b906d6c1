/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the protocol (proto.md, "Values"). */
#ifndef NBD_WIRE_H
#define NBD_WIRE_H

#define NBD_MAGIC	    0x4e42444d41474943u /* "NBDMAGIC" */
#define NBD_IHAVEOPT	    0x49484156454f5054u /* newstyle; also options */
#define NBD_OLDSTYLE	    0x0000420281861253u
#define NBD_OPT_REPLY_MAGIC 0x0003e889045565a9u
#define NBD_REQUEST_MAGIC   0x25609513u

/* Handshake flags of the server, and the client's answer to them */
#define NBD_FLAG_FIXED_NEWSTYLE 0x0001u
#define NBD_FLAG_NO_ZEROES	0x0002u

#define NBD_OPT_EXPORT_NAME	  1u
#define NBD_OPT_ABORT		  2u
#define NBD_OPT_LIST		  3u
#define NBD_OPT_STARTTLS	  5u
#define NBD_OPT_INFO		  6u
#define NBD_OPT_GO		  7u
#define NBD_OPT_STRUCTURED_REPLY  8u
#define NBD_OPT_LIST_META_CONTEXT 9u
#define NBD_OPT_SET_META_CONTEXT  10u
#define NBD_OPT_EXTENDED_HEADERS  11u /* the branch extension-ext-header */

#define NBD_REP_ACK	     1u
#define NBD_REP_SERVER	     2u
#define NBD_REP_INFO	     3u
#define NBD_REP_META_CONTEXT 4u

#define NBD_REP_ERR	    0x80000000u
#define NBD_REP_ERR_UNKNOWN 0x80000006u

#define NBD_INFO_EXPORT	     0u
#define NBD_INFO_NAME	     1u
#define NBD_INFO_DESCRIPTION 2u
#define NBD_INFO_BLOCK_SIZE  3u

/* Replies, and what structured ones are made of */
#define NBD_SIMPLE_MAGIC       0x67446698u
#define NBD_CHUNK_MAGIC	       0x668e33efu
#define NBD_REPLY_DONE	       0x0001u /* a flag */
#define NBD_REPLY_NONE	       0u
#define NBD_REPLY_DATA	       1u
#define NBD_REPLY_HOLE	       2u
#define NBD_REPLY_STATUS       5u
#define NBD_REPLY_STATUS_EXT   6u
#define NBD_REPLY_ERROR_BIT    0x8000u
#define NBD_REPLY_ERROR_OFFSET 0x8002u

/* Extended headers (the branch extension-ext-header) */
#define NBD_EXT_REQUEST_MAGIC	 0x21e41c71u
#define NBD_EXT_REPLY_MAGIC	 0x6e8a278cu
#define NBD_CMD_FLAG_PAYLOAD_LEN 0x0020u

/* Sizes on the wire */
#define NBD_GREETING_SIZE	 18u /* magic, IHAVEOPT, handshake flags */
#define NBD_OPT_SIZE		 16u /* IHAVEOPT, option, length */
#define NBD_OPT_REPLY_SIZE	 20u /* magic, option, type, length */
#define NBD_REQUEST_SIZE	 28u
#define NBD_EXT_REQUEST_SIZE	 32u
#define NBD_SIMPLE_SIZE		 16u /* magic, error, cookie */
#define NBD_CHUNK_SIZE		 20u /* magic, flags, type, cookie, length */
#define NBD_EXT_REPLY_SIZE	 32u /* 64-bit offset and length */
#define NBD_EXTENTS_MAX		 (1u << 20) /* in one chunk */
#define NBD_ZEROES_SIZE		 124u
#define NBD_INFO_EXPORT_SIZE	 12u /* with the type */
#define NBD_INFO_BLOCK_SIZE_SIZE 14u

#endif
