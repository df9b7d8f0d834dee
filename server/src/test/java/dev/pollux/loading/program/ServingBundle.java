// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** A bundle that does what {@link ServedOnce} does. */
public final class ServingBundle implements BundleActivator {
    @Override
    public void start(BundleContext context) throws IOException {
        ServedOnce.serve();
    }

    @Override
    public void stop(BundleContext context) {
        // nothing is left open
    }
}
