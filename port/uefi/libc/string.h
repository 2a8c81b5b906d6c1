/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of <string.h> that the firmware program has. */
#ifndef PORT_UEFI_LIBC_STRING_H
#define PORT_UEFI_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *p, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *p, int c, size_t n);
void explicit_bzero(void *p, size_t n);
char *strstr(const char *s, const char *part);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strpbrk(const char *s, const char *any);
size_t strspn(const char *s, const char *any);
size_t strcspn(const char *s, const char *any);

#endif
