package io.limiter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * JVMs of their own on the tests' Redis. No program is left running after a test; a JVM whose program has ended by itself runs
 * those of later tests too, as starting one takes longer than most of them.
 */
public final class Fleet implements AfterTestExecutionCallback {

    private static final String MEMBER = "fleet.member";
    private static final long END_SECONDS = 5;
    private static final Queue<Process> IDLE = new ConcurrentLinkedQueue<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> IDLE.forEach(Fleet::end)));
    }

    private final List<Member> started = new ArrayList<>();

    /** In a member: which of the fleet it is, from 0, so that each has chances of its own from one seed. */
    public static int member() {
        return Integer.getInteger(MEMBER);
    }

    /**
     * Starts members side by side and waits until all have said that they are ready.
     *
     * @param main the program; is passed these arguments, none of which contains a blank
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
        try {
            Process idle = IDLE.poll();
            Member member = new Member(idle == null ? startProcess() : idle);
            started.add(member);
            List<String> program = new ArrayList<>(List.of(Integer.toString(started.size() - 1), main.getName()));
            for (Object argument : arguments) {
                program.add(argument.toString());
            }
            member.write(String.join(" ", program) + "\n");
            return member;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Process startProcess() throws IOException {
        File errors = Path.of("target", "surefire-reports", "fleet-output.txt").toFile();
        Files.createDirectories(errors.toPath().getParent());
        return ChildJvm.of(
                        System.getProperty("java.class.path"),
                        List.of(
                                "-Dtest.seed=" + Seed.VALUE,
                                // Helpers that tests and members share must not start another.
                                "-Dtest.redis=" + TestRedis.shared().uri(),
                                Host.class.getName()))
                .redirectError(Redirect.appendTo(errors))
                .start();
    }

    /** Runs before others check which keys are left in Redis. */
    @Override
    public void afterTestExecution(ExtensionContext context) throws InterruptedException {
        for (Member member : started) {
            if (member.ends()) {
                IDLE.add(member.process);
            } else {
                end(member.process);
            }
        }
        started.clear();
    }

    private static void end(Process process) {
        process.destroyForcibly().onExit().join();
    }

    /** Runs the programs that it reads from its input, one a line, until there are no more. */
    static final class Host {

        private static final String ENDED = "the program has ended";

        private Host() {}

        public static void main(String[] arguments) throws Exception {
            for (String line = readLine(); line != null; line = readLine()) {
                List<String> words = List.of(line.split(" "));
                System.setProperty(MEMBER, words.get(0));
                var main = Class.forName(words.get(1)).getDeclaredMethod("main", String[].class);
                main.setAccessible(true);
                main.invoke(null, (Object) words.subList(2, words.size()).toArray(String[]::new));
                System.out.println(ENDED);
            }
            // Whatever threads the programs have left.
            System.exit(0);
        }

        /** The next that is not blank; takes nothing from the input that is behind it, which is the program's. */
        private static String readLine() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next = System.in.read(); next >= 0; next = System.in.read()) {
                if (next != '\n') {
                    line.append((char) next);
                } else if (line.length() > 0) {
                    return line.toString();
                }
            }
            return null;
        }
    }

    /** One JVM. */
    public static final class Member {

        private final Process process;
        private boolean disturbed;
        private boolean ended;

        private Member(Process process) {
            this.process = process;
        }

        /** Writes a line, for which it waits. */
        public void go() {
            try {
                write("\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void write(String text) throws IOException {
            process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }

        /** What it says next; fails if it has ended. */
        public String nextLine() {
            String line = readLine();
            assertThat(line)
                    .as("a fleet member ended without a result, see target/surefire-reports/fleet-output.txt")
                    .isNotNull();
            return line;
        }

        private String readLine() {
            try {
                String line = ended ? null : process.inputReader().readLine();
                ended = line == null || line.equals(Host.ENDED);
                return ended ? null : line;
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

        /** Whether its program ends without being killed, and leaves the JVM to others. */
        private boolean ends() throws InterruptedException {
            if (disturbed) {
                return false;
            }
            CompletableFuture<Void> end = CompletableFuture.runAsync(() -> {
                while (readLine() != null) {
                    // Reads to the end, so that the process is not blocked by a full pipe.
                }
            });
            try {
                end.get(END_SECONDS, TimeUnit.SECONDS);
                return process.isAlive();
            } catch (ExecutionException | TimeoutException e) {
                return false;
            }
        }

        /** Without warning, and waits until it is dead. */
        public void kill() {
            disturbed = true;
            end(process);
        }

        /** @param name STOP or CONT */
        public void signal(String name) {
            // Once it goes on, it is as any other.
            disturbed = name.equals("STOP");
            RedisProcess.signal(Long.toString(process.pid()), name);
        }
    }
}
