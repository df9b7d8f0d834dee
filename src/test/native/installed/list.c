/* SPDX-License-Identifier: Apache-2.0
 * Prints the mechanisms.
 */
#include <pollux/pollux.h>
#include <stdio.h>
int main(void)
{
    return puts(plx_mechanisms()) < 0;
}
