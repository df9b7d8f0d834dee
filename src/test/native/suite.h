/* SPDX-License-Identifier: Apache-2.0
 *
 * suite.h: what a file of tests gives to main.c. A test is a sentence and a body; the body gets an open set of the
 * mechanism under test, which is closed after it. main.c checks after each test that it left no descriptor behind.
 */
#ifndef SUITE_H
#define SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four, as it demands */
#include <cmocka.h>

#include "pollux.h"

typedef struct {
    const char *name;
    void (*body)(plx_set *set);
    unsigned needs; /* PLX_CAP_ bits without which the sentence means nothing: skipped */
} plx_test;

typedef struct {
    const plx_test *tests;
    size_t count;
} plx_suite;

/* Ends a test whose means this machine lacks. */
void skip_this(const char *reason);

#define SUITE(array) { array, sizeof array / sizeof *array }

/* Run once for each mechanism. */
extern const plx_suite open_suite, change_suite, cookie_suite, refusal_suite, event_suite, difference_suite,
    timeout_suite, wakeup_suite, capacity_suite, model_suite;
/* Run once for each family of kernels that have a kqueue, with no set. */
extern const plx_suite kqueue_emulation_suite, kqueue_suite;
/* Run once, with no set. */
extern const plx_suite library_suite, out_of_band_suite, progress_suite, rawcall_suite, pin_suite, strerror_suite,
    devpoll_emulation_suite, devpoll_sharing_suite, devpoll_suite;

#endif
