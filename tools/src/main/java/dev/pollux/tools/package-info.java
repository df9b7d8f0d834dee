// SPDX-License-Identifier: Apache-2.0
/** {@code java -jar pollux-tools.jar}: its command line. Each larger command has a package of its own. */
package dev.pollux.tools;
