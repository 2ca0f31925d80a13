package io.limiter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** This JVM's class path with some libraries missing, and JVMs on what is left, which miss a library as an application would. */
public final class ClassPathWithout {

    private final List<Path> entries;

    /** @param libraries how the names of the jars that are missing start */
    public ClassPathWithout(String... libraries) {
        this(List.of(), libraries);
    }

    /** @param first what is in front of it */
    public ClassPathWithout(List<Path> first, String... libraries) {
        Pattern missing = Pattern.compile("(" + String.join("|", libraries) + ")-?\\d.*\\.jar");
        Stream<Path> left = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> !missing.matcher(path.getFileName().toString()).matches());
        entries = Stream.concat(first.stream(), left).toList();
    }

    public boolean has(String type) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path entry : entries) {
            urls.add(entry.toUri().toURL());
        }
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), null)) {
            return loader.findResource(type.replace('.', '/') + ".class") != null;
        }
    }

    /** Calls a public static method, which takes texts and returns one, in a JVM with the settings of this one. */
    public String call(Class<?> type, String method, String... arguments) throws Exception {
        List<String> program = new ArrayList<>();
        for (String property :
                List.of("user.language", "user.country", "spring.autoconfigure.exclude", "server.tomcat.basedir")) {
            if (System.getProperty(property) != null) {
                program.add("-D" + property + "=" + System.getProperty(property));
            }
        }
        program.addAll(List.of(Call.class.getName(), type.getName(), method));
        program.addAll(List.of(arguments));
        String classPath = String.join(
                File.pathSeparator, entries.stream().map(Path::toString).toList());
        String output = ChildJvm.run(classPath, program);
        assertThat(output).contains(Call.ANSWER);
        return output.substring(output.lastIndexOf(Call.ANSWER) + Call.ANSWER.length())
                .lines()
                .findFirst()
                .orElse("");
    }

    /** The program of such a JVM. */
    static final class Call {

        private static final String ANSWER = "answer: ";

        private Call() {}

        public static void main(String[] arguments) throws Exception {
            Object answer = Class.forName(arguments[0])
                    .getMethod(arguments[1], String[].class)
                    .invoke(null, (Object) Arrays.copyOfRange(arguments, 2, arguments.length));
            System.out.println(ANSWER + answer);
            // Whatever threads the call has left.
            System.exit(0);
        }
    }
}
