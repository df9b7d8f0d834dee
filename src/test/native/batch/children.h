/* SPDX-License-Identifier: Apache-2.0
 *
 * children.h: runs tests in processes of their own, since what the batch knows of its system belongs to a process, and
 * stays. Several run at a time: they mostly wait.
 */
#ifndef BATCH_CHILDREN_H
#define BATCH_CHILDREN_H

#include "injection.h"

/* What a child tells. */
typedef struct {
    int calls[CALLS], faults_met;
    bool allocation_failed;
} report;

/* Runs the body in a child; an assertion that fails ends the child. */
void start_child(const char *title, void (*body)(const void *), const void *argument, size_t size);
void await_children(void);
/* Awaits all: the test fails unless each one since the last time has succeeded. */
void finish_children(void);
/* Runs one child until it ends: what it tells. */
report run_child(const char *title, void (*body)(const void *), const void *argument, size_t size);
/* The same for a body without an argument, which has to succeed. */
void run_alone(const char *title, void (*body)(void));

#endif
