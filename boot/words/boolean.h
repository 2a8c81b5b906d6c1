/* SPDX-License-Identifier: BSD-2-Clause */
/* Yes and no, as systemd writes them in its words (parse_boolean()). */
#ifndef BOOT_WORDS_BOOLEAN_H
#define BOOT_WORDS_BOOLEAN_H

/* 1: yes, 0: no, -1: something else. */
int boot_words_boolean(const char *value);

#endif
