// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import dev.pollux.lab.LoopLab;
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
 * A test that runs once per selector provider, and once per mechanism of the Poller, with a fresh {@link LoopLab} as
 * its argument. Whatever the lab opened is closed afterwards, and the descriptors are counted before and after.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@MethodSource({"dev.pollux.selector.Lab#all", "dev.pollux.poller.PollerLab#all"})
@ExtendWith(WorkbenchExtension.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@interface EachLoop {
}
