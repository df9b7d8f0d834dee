// SPDX-License-Identifier: Apache-2.0
/** Measures servers that know nothing of Pollux: this package has the controlling machine and the client's. */
package dev.pollux.micro.apps;
