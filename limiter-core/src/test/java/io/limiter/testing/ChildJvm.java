package io.limiter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JVMs of their own, on the JDK of the tests. Unlike those that Surefire starts, they verify bytecode, for which alone a class may need another. */
public final class ChildJvm {

    private ChildJvm() {}

    /** @param program options, the main class and its arguments */
    public static ProcessBuilder of(String classPath, List<String> program) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // They are short-lived: compiled once, by one thread.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-cp",
                classPath));
        command.addAll(program);
        return new ProcessBuilder(command);
    }

    /** Waits for its end, which must be a success, and returns what it has written. */
    public static String run(String classPath, List<String> program) throws IOException, InterruptedException {
        Process process = of(classPath, program).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
