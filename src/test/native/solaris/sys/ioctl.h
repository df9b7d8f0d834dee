/* SPDX-License-Identifier: Apache-2.0
 *
 * sys/ioctl.h: see solaris/README.md; ioctl itself is in <unistd.h>
 */
