/* SPDX-License-Identifier: Apache-2.0
 *
 * pin.h: has a thread run on one processor.
 */
#ifndef PLX_PIN_H
#define PLX_PIN_H

#include <stdint.h>

/* Pins this thread to the index-th, modulo their number, of the processors that the process could run on at the first
 * call: 0 or -code. EOPNOTSUPP, ERROR_NOT_SUPPORTED: this system has no such call. */
int plx_pin_thread(uint32_t index);

#endif
