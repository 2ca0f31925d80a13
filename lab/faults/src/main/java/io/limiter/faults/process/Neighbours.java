package io.limiter.faults.process;

import io.limiter.faults.account.AccountFile;
import io.limiter.faults.account.Accounts.Slice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What other processes of this machine took of its processors, sampled while an experiment runs. Processes that this JVM has started
 * are none of the others.
 */
public final class Neighbours implements AutoCloseable {

    private static final long EVERY_MILLIS = 100;

    /** The kernel's, in which it counts time of processors. */
    private static final double TICKS_PER_SECOND = 100;

    /** In a line on a process, behind its name: the ticks in user mode. Those in kernel mode are next. */
    private static final int USER_TICKS_AT = 11;

    private final Thread sampler = new Thread(this::sample, "neighbours");
    private final List<Slice> slices = new CopyOnWriteArrayList<>();

    private Neighbours() {
        sampler.setDaemon(true);
    }

    public static Neighbours watch() {
        Neighbours neighbours = new Neighbours();
        neighbours.sampler.start();
        return neighbours;
    }

    public List<Slice> slices() {
        return List.copyOf(slices);
    }

    private void sample() {
        try {
            long fromMicros = nowMicros();
            Map<Long, Long> own = own();
            long busy = busy();
            while (true) {
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
                long toMicros = nowMicros();
                Map<Long, Long> ownNow = own();
                long busyNow = busy();
                long ofOwn = 0;
                for (Map.Entry<Long, Long> process : ownNow.entrySet()) {
                    ofOwn += process.getValue() - own.getOrDefault(process.getKey(), 0L);
                }
                double all = (toMicros - fromMicros) / 1e6 * TICKS_PER_SECOND * processors();
                slices.add(new Slice(fromMicros, toMicros, Math.min(1, Math.max(0, (busyNow - busy - ofOwn) / all))));
                fromMicros = toMicros;
                own = ownNow;
                busy = busyNow;
            }
        } catch (IOException e) {
            // Not Linux: nothing is known of others.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long nowMicros() {
        return AccountFile.nowMicros();
    }

    /** Ticks that all processors were busy, those included that a host took from this machine. */
    private static long busy() throws IOException {
        String[] ticks = Files.readAllLines(Path.of("/proc/stat")).get(0).split("\\s+");
        long busy = 0;
        for (int i = 1; i <= 8; i++) {
            // 4 and 5 are idle.
            busy += i == 4 || i == 5 ? 0 : Long.parseLong(ticks[i]);
        }
        return busy;
    }

    private static long processors() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            return lines.filter(line -> line.matches("cpu\\d+ .*")).count();
        }
    }

    /** Ticks of this process and of those that it has started. */
    private static Map<Long, Long> own() {
        List<ProcessHandle> all = new ArrayList<>(List.of(ProcessHandle.current()));
        ProcessHandle.current().descendants().forEach(all::add);
        Map<Long, Long> ticks = new HashMap<>();
        for (ProcessHandle process : all) {
            try {
                String line = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
                String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
                ticks.put(
                        process.pid(),
                        Long.parseLong(fields[USER_TICKS_AT]) + Long.parseLong(fields[USER_TICKS_AT + 1]));
            } catch (IOException e) {
                // It has ended.
            }
        }
        return ticks;
    }

    @Override
    public void close() {
        sampler.interrupt();
    }
}
