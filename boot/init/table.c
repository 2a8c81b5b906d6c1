/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of steps: S(init_kernel) S(init_cmdline) ..., made by build.mk. */
#include "boot/init/steps.h"

#define S(name) extern const struct step name##_step;
INIT_STEPS
#undef S

#define S(name) &name##_step,
const struct step *const init_steps[] = { INIT_STEPS NULL };
