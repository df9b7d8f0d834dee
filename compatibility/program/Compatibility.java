// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tries frameworks that nobody has changed on Pollux: function under load, the selectors' class, a clean shutdown.
 * Arguments: names of frameworks, by default all; {@code --jdk} and a version. By default it takes 17, 21, 25 and the
 * youngest JDK of Debian's unstable release. With {@code JDK_JAVA_OPTIONS=-Ddev.pollux.batch=all} in the environment
 * the same runs with that property.
 *
 * <p>The page is docs/compatibility.md; only a run of everything writes it. Versions stand in each pom.xml. A JDK that
 * is not installed is fetched: 21 from PyPI, those after 25 from Debian. What fails runs again with the JDK's
 * selectors; a failure on both counts as skipped. Logs are left in each framework's target/logs.
 */
public final class Compatibility {
    private static final Path OUT = Path.of("target/compatibility");
    private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
    private static final Pattern VERSION = Pattern.compile("java\\.version = (\\S+)");

    private Compatibility() {
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> names = new ArrayList<>(List.of(arguments));
        String jdk = null;
        int option = names.indexOf("--jdk");
        if (option >= 0) {
            names.remove(option);
            jdk = names.remove(option);
        }
        String page = jdk == null && names.isEmpty() ? "docs/compatibility.md" : "-";
        if (names.isEmpty()) {
            names.addAll(MODULE.matcher(Files.readString(Path.of("compatibility/pom.xml"))).results()
                    .map((MatchResult module) -> module.group(1)).filter(name -> !name.equals("trial")).toList());
        }
        String modules = "..,../compatibility/trial,../compatibility/" + String.join(",../compatibility/", names);
        Command.of("mvn", "-q", "-B", "-f", "build/pom.xml", "-pl", modules, "-am", "-DskipTests",
                "-Dmaven.javadoc.skip=true", "package").output();
        Files.createDirectories(OUT);
        // A build in the meantime changes nothing.
        Path jar = Files.copy(Build.jar("."), OUT.resolve("pollux.jar"), StandardCopyOption.REPLACE_EXISTING);
        List<String> machines = new ArrayList<>();
        for (String version : jdk != null ? List.of(jdk) : List.of("17", "21", "25", Build.youngest())) {
            Path java = Build.java(version);
            if (java == null) {
                System.out.println("There is no JDK " + version + " here");
            } else {
                machines.add(version(java) + '=' + java);
            }
        }
        System.exit(Command.of(System.getProperty("java.home") + "/bin/java", "-cp",
                "compatibility/trial/target/classes", "dev.pollux.compatibility.Matrix", jar.toAbsolutePath(), page,
                String.join(",", machines), names.stream().map(name -> Path.of("compatibility", name).toAbsolutePath())
                .toList()).shown("").status());
    }

    private static String version(Path java) throws IOException, InterruptedException {
        Matcher version = VERSION.matcher(Command.of(java, "-XshowSettings:properties", "-version").output());
        version.find();
        return version.group(1);
    }
}
