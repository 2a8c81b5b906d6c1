/* SPDX-License-Identifier: BSD-2-Clause */
/* A disk in memory, full of zeros, and bytes on it. */
#ifndef TESTS_BOOT_INIT_IMAGE_H
#define TESTS_BOOT_INIT_IMAGE_H

#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit.h"

#define MIB ((off_t)1024 * 1024)

static inline int image(off_t size)
{
	int fd = memfd_create("image", 0);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

static inline void put(int fd, off_t at, const void *p, size_t len)
{
	assert_int_equal(pwrite(fd, p, len, at), (ssize_t)len);
}

#endif
