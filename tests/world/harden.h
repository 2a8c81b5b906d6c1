/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process does to itself: boot_harden(), boot_confine() and
 * boot_log_to_kernel() are only counted.
 */
#ifndef TESTS_WORLD_HARDEN_H
#define TESTS_WORLD_HARDEN_H

#include "tests/world/world.h"

#endif
