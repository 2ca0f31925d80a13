package io.limiter.test.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedServerTest {

    @Test
    void each_test_reports_why_the_server_does_not_start(@TempDir Path folder) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + folder.resolve("missing"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TwoTests.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output.lines().filter(line -> line.startsWith("failed: ")))
                .hasSize(2)
                .allMatch(line -> line.startsWith("failed: the embedded Redis did not start; does "));
    }

    private static final class TwoTests {

        public static void main(String[] arguments) {
            for (int i = 0; i < 2; i++) {
                try {
                    EmbeddedServer.shared();
                } catch (RuntimeException | Error e) {
                    System.out.println("failed: " + e.getMessage());
                }
            }
        }
    }
}
