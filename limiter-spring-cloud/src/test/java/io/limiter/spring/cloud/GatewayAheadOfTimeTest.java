package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.ClassPathWithout;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor;

/** A gateway processed ahead of time, as for a native image, and started from that. It loads all of Spring again, like other tests of class paths. */
@Tag("classpath")
class GatewayAheadOfTimeTest {

    @Test
    void the_reactive_server_starts_and_limits(@TempDir Path folder) throws Exception {
        Path sources = Files.createDirectories(folder.resolve("sources"));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        AbstractAotProcessor.Settings settings = AbstractAotProcessor.Settings.builder()
                .sourceOutput(sources)
                .resourceOutput(classes)
                .classOutput(classes)
                .groupId("io.limiter")
                .artifactId("gateway")
                .build();
        new SpringApplicationAotProcessor(AheadOfTimeApplication.class, settings, AheadOfTimeApplication.arguments())
                .process();
        compile(sources, classes);
        Files.writeString(classes.resolve("spring.properties"), "spring.aot.enabled=true");

        assertThat(new ClassPathWithout(List.of(classes))
                        .call(
                                AheadOfTimeApplication.class,
                                "call",
                                TestGateway.redis().toArray(String[]::new)))
                .isEqualTo("204 429 204 429");
    }

    private static void compile(Path sources, Path classes) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none",
                "-nowarn",
                "-d",
                classes.toString(),
                "-cp",
                classes + File.pathSeparator + System.getProperty("java.class.path")));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }
}
