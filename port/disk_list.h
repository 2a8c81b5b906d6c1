/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues of disk.c: requests in the order in which they came. */
#ifndef PORT_DISK_LIST_H
#define PORT_DISK_LIST_H

#include "port/disk.h"

static inline void disk_list_push(struct nbd_disk_list *list,
				  struct nbd_disk_op *op)
{
	op->next = NULL;
	if (list->first)
		list->last->next = op;
	else
		list->first = op;
	list->last = op;
}

static inline struct nbd_disk_op *disk_list_pop(struct nbd_disk_list *list)
{
	struct nbd_disk_op *op = list->first;

	if (op)
		list->first = op->next;
	return op;
}

static inline void disk_list_take_out(struct nbd_disk_list *list,
				      struct nbd_disk_op *op)
{
	struct nbd_disk_op **p = &list->first, *before = NULL;

	while (*p != op) {
		before = *p;
		p = &before->next;
	}
	*p = op->next;
	if (list->last == op)
		list->last = before;
}

#endif
