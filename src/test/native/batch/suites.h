/* SPDX-License-Identifier: Apache-2.0
 *
 * suites.h: the files of tests that faults_main.c runs. Each array ends with one that has no name.
 */
#ifndef BATCH_SUITES_H
#define BATCH_SUITES_H

#include "children.h"

#include <stdlib.h>

extern const struct CMUnitTest fault_tests[], case_tests[], owed_tests[], flusher_tests[], turn_tests[];

#endif
