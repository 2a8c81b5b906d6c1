/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lwIP is configured to be, from the symbols of Kconfig: a TCP client on
 * one interface, in one thread, in static memory.
 */
#ifndef PORT_LWIP_LWIPOPTS_H
#define PORT_LWIP_LWIPOPTS_H

/* Kconfig leaves symbols that are off undefined. */
#ifdef CONFIG_PORT_LWIP_IPV6
#define LWIP_IPV6 1
#else
#define LWIP_IPV6 0
#endif
#ifdef CONFIG_PORT_LWIP_DHCP
#define LWIP_DHCP 1
#else
#define LWIP_DHCP 0
#endif
#ifdef CONFIG_PORT_LWIP_FRAGMENTS
#define IP_REASSEMBLY 1
#else
#define IP_REASSEMBLY 0
#endif
#ifdef CONFIG_PORT_LWIP_DNS
#define LWIP_DNS 1
#else
#define LWIP_DNS 0
#endif

/* ---- one thread, static memory ---- */
#define NO_SYS			 1
#define SYS_LIGHTWEIGHT_PROT	 0
#define LWIP_NETCONN		 0
#define LWIP_SOCKET		 0
#define LWIP_SINGLE_NETIF	 1
#define LWIP_STATS		 0
#define MEM_LIBC_MALLOC		 0
#define MEMP_MEM_MALLOC		 0
#define MEM_ALIGNMENT		 8
/* What TCP has not been acknowledged is copied to this heap. */
#define MEM_SIZE		 (CONFIG_PORT_LWIP_SEND * 1024 * 5 / 4 + 8192)
/* The frames that come lie in memory of ours (lwip.h). */
#define LWIP_SUPPORT_CUSTOM_PBUF 1
#define PBUF_POOL_SIZE		 1
#define PBUF_POOL_BUFSIZE	 128
#define MEMP_NUM_PBUF		 16
#define MEMP_NUM_UDP_PCB	 4
#define MEMP_NUM_TCP_PCB	 (CONFIG_PORT_MAX_CONNECTIONS + 4)
#define MEMP_NUM_TCP_PCB_LISTEN	 1
#define MEMP_NUM_TCP_SEG	 (TCP_SND_QUEUELEN + CONFIG_PORT_LWIP_FRAMES)
#define MEMP_NUM_REASSDATA	 2
/* A and AAAA are asked for at once, before the server's MAC is known. */
#define ARP_QUEUEING		 LWIP_IPV6
#define MEMP_NUM_ARP_QUEUE	 8
#define ARP_TABLE_SIZE		 8
#define LWIP_RAW		 0
#define LWIP_NETIF_LINK_CALLBACK 0
#define LWIP_NETIF_LOOPBACK	 0
#define LWIP_NETIF_HOSTNAME	 1

/* ---- addresses ---- */
#define LWIP_DHCP_DOES_ACD_CHECK       0
#define DHCP_DOES_ARP_CHECK	       0
#define LWIP_DNS_SUPPORT_MDNS_QUERIES  0
#define DNS_MAX_SERVERS		       3
#define DNS_TABLE_SIZE		       1
#define DNS_MAX_REQUESTS	       1
#define LWIP_IPV6_AUTOCONFIG	       LWIP_IPV6
#define LWIP_IPV6_SEND_ROUTER_SOLICIT  LWIP_IPV6
#define LWIP_IPV6_DHCP6		       0
#define LWIP_IPV6_MLD		       LWIP_IPV6
#define LWIP_IPV6_FRAG		       0
#define LWIP_ND6_RDNSS_MAX_DNS_SERVERS (LWIP_DNS ? DNS_MAX_SERVERS : 0)
#define MEMP_NUM_MLD6_GROUP	       8
/* A router's advertisement of its MTU counts. */
#define LWIP_ND6_ALLOW_RA_UPDATES      1

#define IP_REASS_MAX_PBUFS   (CONFIG_PORT_LWIP_FRAMES / 4)
#define IP_FRAG		     0
#define LWIP_IPV6_REASS	     LWIP_IPV6
/* Its notes are longer than a fragment header where pointers have 64 bits. */
#define IPV6_FRAG_COPYHEADER 1

/* ---- TCP ---- */
#define LWIP_TCP 1
#define LWIP_UDP 1
#define TCP_MSS	 (CONFIG_PORT_LWIP_MTU - 40)
#define TCP_WND	 (CONFIG_PORT_LWIP_WINDOW * 1024u)
#if CONFIG_PORT_LWIP_WINDOW >= 64
#define LWIP_WND_SCALE 1
#if CONFIG_PORT_LWIP_WINDOW >= 1024
#define TCP_RCV_SCALE 6
#else
#define TCP_RCV_SCALE 4
#endif
#endif
#define TCP_WND_UPDATE_THRESHOLD		  LWIP_MIN(TCP_WND / 8, 16 * TCP_MSS)
#define TCP_SND_BUF				  (CONFIG_PORT_LWIP_SEND * 1024u)
#define TCP_SND_QUEUELEN			  (4 * TCP_SND_BUF / TCP_MSS + 16)
#define TCP_SNDLOWAT				  (TCP_SND_BUF / 4)
#define TCP_SNDQUEUELOWAT			  (TCP_SND_QUEUELEN / 4)
/* lwIP's own macro may draw 0xffff, which it steps over to port 0: no port. */
#define TCP_LOCAL_PORT_RANGE_START		  0xc000
#define TCP_LOCAL_PORT_RANGE_END		  0xffff
#define TCP_ENSURE_LOCAL_PORT_RANGE(port)	  ((u16_t)(0xc000 + (port) % 0x3fff))
#define TCP_QUEUE_OOSEQ				  1
#define TCP_OOSEQ_MAX_PBUFS			  (CONFIG_PORT_LWIP_FRAMES * 3 / 4)
#define LWIP_TCP_SACK_OUT			  1
#define LWIP_TCP_MAX_SACK_NUM			  4
#define LWIP_TCP_KEEPALIVE			  1
/* as with sockets; hooks.h has these */
#define TCP_KEEPIDLE_DEFAULT			  (SOCK_KEEP_IDLE * 1000u)
#define TCP_KEEPINTVL_DEFAULT			  (SOCK_KEEP_INTERVAL * 1000u)
#define TCP_KEEPCNT_DEFAULT			  SOCK_KEEP_COUNT
#define LWIP_TCP_TIMESTAMPS			  0
#define LWIP_TCP_PCB_NUM_EXT_ARGS		  0
#define TCP_OVERSIZE				  TCP_MSS
/* ms; a lost request is sent again after 3 ticks of twice this at least. */
#define TCP_TMR_INTERVAL			  10
#define TCP_MSL					  1000
/* The caller gives up by its own clock (lwip.h). */
#define TCP_MAXRTX				  12
#define TCP_SYNMAXRTX				  8
/* The ports and sequence numbers of a reset are random, too. */
#define LWIP_HOOK_FILENAME			  "port/lwip/hooks.h"
#define LWIP_HOOK_TCP_ISN(lip, lport, rip, rport) lwnet_random()
#define LWIP_HOOK_ND6_GET_GW			  lwnet_ip6_gateway

/* A window above 64 KiB is meant (see TCP_WND). */
#define LWIP_DISABLE_TCP_SANITY_CHECKS 1
/* Code for long writes: a stack that sends little does without. */
#define LWIP_CHECKSUM_ON_COPY	       (CONFIG_PORT_LWIP_SEND > 32)
#define LWIP_CHKSUM		       lwnet_checksum
/* Of a frame that came: NBD_ETHER_VERIFIED. */
#define LWIP_CHECKSUM_CTRL_PER_NETIF   1
/* TCP copies what it is given: the copy is one buffer for each segment. */
#define LWIP_NETIF_TX_SINGLE_PBUF      1

#define LWIP_DISABLE_MEMP_SANITY_CHECKS 1

#endif
