// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.lab.WorkbenchExtension;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A test that runs once per mechanism, with a fresh {@link ServerLab} as its argument.
 * Whatever the lab opened is closed afterwards, and the descriptors are counted before and after.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@MethodSource("dev.pollux.server.ServerLab#all")
@ExtendWith(WorkbenchExtension.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@interface EachMechanism {
}
