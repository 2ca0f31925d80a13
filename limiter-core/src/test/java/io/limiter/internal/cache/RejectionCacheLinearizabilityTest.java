package io.limiter.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Runs {@link RejectionCacheLinearizability} in a JVM of its own. */
class RejectionCacheLinearizabilityTest {

    @Test
    void every_outcome_is_possible_without_the_cache_too() throws IOException, InterruptedException {
        Process checker = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // It is short-lived: compiled once, by one thread.
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RejectionCacheLinearizability.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(checker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(checker.waitFor()).as(output).isZero();
    }
}
