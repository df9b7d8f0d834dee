/* SPDX-License-Identifier: Apache-2.0
 * Prints the header's version and the library's; they must be equal.
 */
#include <pollux/pollux.h>
#include <stdio.h>
int main(void)
{
    const int library = plx_version();
    printf("header %d.%d.%d, ", PLX_VERSION_MAJOR, PLX_VERSION_MINOR, PLX_VERSION_PATCH);
    printf("library %d.%d.%d\n", library >> 16, library >> 8 & 0xff, library & 0xff);
    return library != PLX_VERSION;
}
