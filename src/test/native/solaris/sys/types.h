/* SPDX-License-Identifier: Apache-2.0
 *
 * sys/types.h: see solaris/README.md
 */
#include <unistd.h> /* ssize_t */
