// SPDX-License-Identifier: Apache-2.0
/** Meters of Micrometer for the loops of Pollux. */
package dev.pollux.micrometer;
