/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with a certificate or a key, and what to do, for a person. */
#ifndef PORT_MBEDTLS_FAULT_H
#define PORT_MBEDTLS_FAULT_H

#include <stdbool.h>

/* Two sentences without their subjects, such as "is encrypted", "decrypt it". */
struct fault {
	const char *what, *remedy;
};

/*
 * By the negative result of mbedTLS's parsers, of certificates and of keys.
 * There is a text for each; for a number that they do not have, too.
 */
struct fault fault_by_number(int ret);

/*
 * The same for a file with that text (NUL-terminated): what the file says of
 * itself tells more than the number.  key: a private key was expected there.
 */
struct fault fault_of_file(const char *text, bool key, int ret);

#endif
