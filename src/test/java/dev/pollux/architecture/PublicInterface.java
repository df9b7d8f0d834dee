// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Describes the public classes of a package and their public and protected members, a line for each, names in full. */
final class PublicInterface {
    private PublicInterface() {
    }

    static String of(Path classes, String packageName) {
        StringBuilder described = new StringBuilder();
        for (String name : classNames(classes.resolve(packageName.replace('.', '/')))) {
            Class<?> each = load(packageName + '.' + name);
            if (isVisible(each.getModifiers()) && !each.isAnonymousClass()) {
                describe(each, described);
            }
        }
        return described.toString();
    }

    /** A change of it is made on purpose, in the list. */
    static void assertIs(String list, String described) {
        try (InputStream in = PublicInterface.class.getResourceAsStream(list)) {
            assertEquals(new String(in.readAllBytes(), StandardCharsets.UTF_8),
                    described.replaceAll("\\b([a-z][a-z0-9]*\\.)+(?=[A-Z])", ""),
                    "If the change is wanted, write the actual text into " + list);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Methods that tell whether something is so, and don't read as questions; others do something, and tell of it. */
    static String notAskedFor(String described) {
        return described.lines().filter(line -> line.matches(".* boolean .*\\(.*"))
                .filter(line -> !line.matches(".*\\.((is|has|supports)([A-Z].*)?|equals|send)\\(.*"))
                .collect(Collectors.joining("\n"));
    }

    private static Set<String> classNames(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            Set<String> names = new TreeSet<>();
            files.map(file -> file.getFileName().toString()).filter(file -> file.endsWith(".class"))
                    .forEach(file -> names.add(file.substring(0, file.length() - ".class".length())));
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PublicInterface.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void describe(Class<?> type, StringBuilder described) {
        described.append(type.toGenericString()).append(supertypes(type)).append('\n');
        Set<String> members = new TreeSet<>();
        for (Field field : type.getDeclaredFields()) {
            add(field, field.toGenericString(), members);
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            add(constructor, constructor.toGenericString(), members);
        }
        for (Method method : type.getDeclaredMethods()) {
            add(method, method.toGenericString(), members);
        }
        members.forEach(member -> described.append("    ").append(member).append('\n'));
    }

    private static void add(Member member, String described, Set<String> members) {
        if (isVisible(member.getModifiers()) && !member.isSynthetic()) {
            members.add(described.replace("synchronized ", ""));
        }
    }

    private static String supertypes(Class<?> type) {
        StringBuilder supertypes = new StringBuilder();
        if (type.getSuperclass() != null && type.getSuperclass() != Object.class) {
            supertypes.append(" extends ").append(type.getGenericSuperclass().getTypeName());
        }
        for (Type each : type.getGenericInterfaces()) {
            supertypes.append(" implements ").append(each.getTypeName());
        }
        return supertypes.toString();
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }
}
