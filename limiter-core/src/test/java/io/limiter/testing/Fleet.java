package io.limiter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** JVMs of their own on the tests' Redis. Nothing is left running after a test. */
public final class Fleet implements AfterTestExecutionCallback {

    private static final String MEMBER = "fleet.member";

    private final Redirect errors;
    private final List<Member> started = new ArrayList<>();

    /** Whose members' errors are shown. */
    public Fleet() {
        this(Redirect.INHERIT);
    }

    /** @param errors where the members' errors go */
    public Fleet(Redirect errors) {
        this.errors = errors;
    }

    /** In a member: which of the fleet it is, from 0, so that each has chances of its own from one seed. */
    public static int member() {
        return Integer.getInteger(MEMBER);
    }

    /**
     * Starts members side by side and waits until all have said that they are ready.
     *
     * @param main is given the URI of Redis and these arguments
     */
    public List<Member> start(int members, Class<?> main, Object... arguments) {
        List<Member> starting = IntStream.range(0, members)
                .mapToObj(i -> launch(main, arguments))
                .toList();
        starting.forEach(member -> member.nextLine("ready"));
        return starting;
    }

    /** As {@link #start(int, Class, Object...)}, one. */
    public Member start(Class<?> main, Object... arguments) {
        return start(1, main, arguments).get(0);
    }

    private Member launch(Class<?> main, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dtest.seed=" + Seed.VALUE,
                "-D" + MEMBER + "=" + started.size(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                TestRedis.shared().uri()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        try {
            Member member =
                    new Member(new ProcessBuilder(command).redirectError(errors).start());
            started.add(member);
            return member;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Before others look at what is left in Redis. */
    @Override
    public void afterTestExecution(ExtensionContext context) {
        started.forEach(member -> member.process.destroyForcibly());
        started.clear();
    }

    /** One JVM. */
    public static final class Member {

        private final Process process;

        private Member(Process process) {
            this.process = process;
        }

        /** Writes a line, for which it waits. */
        public void go() {
            try {
                process.getOutputStream().write('\n');
                process.getOutputStream().flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** What it says next; fails if it has ended. */
        public String nextLine() {
            try {
                String line = process.inputReader().readLine();
                assertThat(line).as("a fleet member ended without a result").isNotNull();
                return line;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** The next line that matches, passing over others. */
        public String nextLine(String regex) {
            String line = nextLine();
            while (!line.matches(regex)) {
                line = nextLine();
            }
            return line;
        }

        /** Without warning, and waits until it is dead. */
        public void kill() throws InterruptedException {
            assertThat(process.destroyForcibly().waitFor(10, TimeUnit.SECONDS))
                    .as("killed")
                    .isTrue();
        }

        /** @param name such as STOP or CONT */
        public void signal(String name) throws IOException, InterruptedException {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
            assertThat(kill.waitFor()).isZero();
        }
    }
}
