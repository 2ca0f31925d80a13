package io.limiter.faults.planted;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * A difference between the limiter and a copy of it with a bug: some code at the beginning or end of a method, or other text in a
 * script. The copy of a class or script is put in front of the class path.
 */
@FunctionalInterface
interface Change {

    /**
     * Adds the copy to a folder. What it was before comes from that folder, if another change has put it there.
     *
     * @throws IllegalStateException if the limiter has no such method or text any more
     */
    void addTo(Path folder) throws IOException;

    /**
     * @param type in the package {@code io.limiter}, as of {@link Class#getName}
     * @param method all of that name, or {@code <init>} for the constructors
     * @param advice of {@link Advices}
     */
    static Change method(String type, String method, Class<?> advice) {
        ElementMatcher.Junction<MethodDescription> matcher =
                method.equals("<init>") ? ElementMatchers.isConstructor() : ElementMatchers.named(method);
        return folder -> {
            try (ClassFileLocator locator = new ClassFileLocator.Compound(
                    new ClassFileLocator.ForFolder(folder.toFile()),
                    ClassFileLocator.ForClassLoader.of(Change.class.getClassLoader()))) {
                TypeDescription original = TypePool.Default.of(locator)
                        .describe("io.limiter." + type)
                        .resolve();
                if (original.getDeclaredMethods().filter(matcher).isEmpty()) {
                    throw new IllegalStateException(type + " has no method " + method + " any more");
                }
                try (DynamicType.Unloaded<?> copy = new ByteBuddy()
                        .redefine(original, locator)
                        .visit(Advice.to(advice).on(matcher))
                        .make()) {
                    copy.saveIn(folder.toFile());
                }
            }
        };
    }

    /**
     * @param name of the file of a limit's script, or of another one with its folders in {@code io.limiter.internal}
     * @param text must occur once
     */
    static Change script(String name, String text, String other) {
        String path = "io/limiter/internal/" + (name.contains("/") ? name : "redis/script/" + name);
        return folder -> {
            Path file = folder.resolve(path);
            String script = Files.exists(file) ? Files.readString(file) : resource(path);
            int at = script.indexOf(text);
            if (at < 0 || script.indexOf(text, at + 1) >= 0) {
                throw new IllegalStateException(name + " does not have this exactly once: " + text);
            }
            Files.createDirectories(file.getParent());
            Files.writeString(file, script.replace(text, other));
        };
    }

    private static String resource(String path) throws IOException {
        try (InputStream resource = Change.class.getClassLoader().getResourceAsStream(path)) {
            if (resource == null) {
                throw new IllegalStateException("the limiter has no script " + path + " any more");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
