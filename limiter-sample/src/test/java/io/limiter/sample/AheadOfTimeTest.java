package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.test.redis.EmbeddedRedis;
import io.limiter.test.redis.RedisAddress;
import io.limiter.testing.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sample processed ahead of time, as for a native image, and started from that in a JVM of its own. */
@EmbeddedRedis
class AheadOfTimeTest {

    private static final Pattern OF_TESTS = Pattern.compile(
            ".*(test-classes|-tests\\.jar|/(redisson|spring-(boot-)?(starter-)?(webflux|reactor))[^/]*)");
    private static final Pattern URL = Pattern.compile("(http://localhost:\\d+)/,");

    @Test
    void the_sample_starts_and_limits(@TempDir Path folder, RedisAddress redis) throws Exception {
        Path sources = Files.createDirectories(folder.resolve("sources"));
        Path resources = Files.createDirectories(folder.resolve("resources"));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        String url = "--spring.data.redis.url=" + redis.uri();
        Path processed = folder.resolve("processed");
        Process processor = java(
                processed,
                classPath(),
                List.of(),
                "org.springframework.boot.SpringApplicationAotProcessor",
                SampleApplication.class.getName(),
                sources.toString(),
                resources.toString(),
                classes.toString(),
                "io.limiter",
                "limiter-sample",
                url);
        assertThat(processor.waitFor()).as(Files.readString(processed)).isZero();
        compile(sources, classes);

        Path started = folder.resolve("started");
        Process application = java(
                started,
                Stream.of(classes.toString(), resources.toString(), classPath())
                        .collect(Collectors.joining(File.pathSeparator)),
                List.of(
                        "-Dspring.aot.enabled=true",
                        "-Dlogging.level.org.springframework.boot.SpringApplication=debug"),
                SampleApplication.class.getName(),
                "--server.port=0",
                "--server.tomcat.basedir=" + folder.resolve("tomcat"),
                "--sample.console.password=secret",
                // Of a limit, which is read now.
                "--limiter.limits.plan.limit=1",
                "--limiter.on-failure=throw",
                "--limiter.failure.decision-timeout=2m",
                url);
        try {
            String here = url(application, started);
            assertThat(status(here + "/limiter/count?key=ann")).isEqualTo(200);
            assertThat(status(here + "/limiter/count?key=ann")).isEqualTo(200);
            assertThat(status(here + "/limiter/count?key=ann")).isEqualTo(429);
            assertThat(status(here + "/limiter/plan?user=ann")).isEqualTo(200);
            assertThat(status(here + "/limiter/plan?user=ann")).isEqualTo(429);
            assertThat(status(here + "/limiter/")).isEqualTo(401);
            assertThat(status(HttpRequest.newBuilder(URI.create(here + "/limiter/api/limits"))
                            .header("Authorization", "Basic b3BlcmF0b3I6c2VjcmV0")))
                    .isEqualTo(200);
        } finally {
            application.destroy();
            application.waitFor();
        }
    }

    /** Without the tests, which the sample would scan, and without large libraries that are there for other tests. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !OF_TESTS.matcher(entry).matches())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Process java(
            Path output, String classPath, List<String> options, String mainClass, String... arguments)
            throws IOException {
        List<String> program = new ArrayList<>(options);
        program.add("-Dspring.autoconfigure.exclude=" + System.getProperty("spring.autoconfigure.exclude"));
        program.add(mainClass);
        program.addAll(List.of(arguments));
        return ChildJvm.of(classPath, program)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static void compile(Path sources, Path classes) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none", "-nowarn", "-d", classes.toString(), "-cp", classes + File.pathSeparator + classPath()));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    private static String url(Process application, Path output) throws Exception {
        while (true) {
            boolean ended = application.waitFor(50, TimeUnit.MILLISECONDS);
            Matcher url = URL.matcher(Files.readString(output));
            if (url.find()) {
                return url.group(1);
            }
            assertThat(ended).as(Files.readString(output)).isFalse();
        }
    }

    private static int status(String url) throws Exception {
        return status(HttpRequest.newBuilder(URI.create(url)));
    }

    private static int status(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient()
                .send(request.build(), BodyHandlers.discarding())
                .statusCode();
    }
}
