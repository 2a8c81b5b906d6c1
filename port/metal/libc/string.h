/* SPDX-License-Identifier: BSD-2-Clause */
/* What port/metal/mem.c has of it. */
#ifndef METAL_STRING_H
#define METAL_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);
int memcmp(const void *a, const void *b, size_t len);
void *memchr(const void *p, int byte, size_t len);
size_t strlen(const char *p);
size_t strnlen(const char *p, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t len);
char *strchr(const char *p, int c);
size_t strcspn(const char *p, const char *ends);

#endif
