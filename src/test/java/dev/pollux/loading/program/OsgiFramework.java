// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

/** Starts an OSGi framework, and bundles in it. Exit code 1 if one does not start. */
public final class OsgiFramework {
    private static final long PATIENCE_MILLIS = 10_000;

    private OsgiFramework() {
    }

    /** Arguments: the folder of its cache, settings of the framework as {@code name=value}, and jars. */
    public static void main(String[] arguments) throws Exception {
        Map<String, String> settings = new HashMap<>();
        settings.put(Constants.FRAMEWORK_STORAGE, arguments[0]);
        List<String> jars = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            String[] setting = arguments[i].split("=", 2);
            if (setting.length == 2) {
                settings.put(setting[0], setting[1]);
            } else {
                jars.add(Path.of(arguments[i]).toUri().toString());
            }
        }
        Framework framework = ServiceLoader.load(FrameworkFactory.class).findFirst().orElseThrow()
                .newFramework(settings);
        framework.start();
        boolean started = start(framework, jars);
        framework.stop();
        framework.waitForStop(PATIENCE_MILLIS);
        System.exit(started ? 0 : 1);
    }

    private static boolean start(Framework framework, List<String> jars) throws BundleException {
        List<Bundle> bundles = new ArrayList<>();
        for (String jar : jars) {
            bundles.add(framework.getBundleContext().installBundle(jar));
        }
        try {
            for (Bundle bundle : bundles) {
                bundle.start();
                System.out.println("started " + bundle.getSymbolicName() + ' ' + bundle.getVersion());
            }
            return true;
        } catch (BundleException e) {
            System.out.println("BundleException " + e.getMessage());
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                System.out.println("caused by " + cause);
            }
            return false;
        }
    }
}
