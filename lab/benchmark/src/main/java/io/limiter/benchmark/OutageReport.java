package io.limiter.benchmark;

import io.limiter.Decision;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What an outage was like, by phase and over time. A call belongs to the moment when it returned.
 *
 * @param steady calls of buckets that are never empty
 * @param limited of each instance, the calls of a limit that all of them share and that rejects most of them
 * @param untilDownNanos until the circuit breakers of all instances were open
 * @param untilUpNanos until they were closed again
 */
record OutageReport(
        List<Calls> steady,
        List<List<Calls>> limited,
        long stopNanos,
        long goOnNanos,
        long untilDownNanos,
        long untilUpNanos) {

    private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int SLOTS_BESIDE = 20;
    private static final String ROW = "%-12s %10s %10s %10s %12s %12s   %s%n";

    Duration stoppedTime() {
        return Duration.ofNanos(goOnNanos - stopNanos);
    }

    String table() {
        long beside = SLOTS_BESIDE * SLOT_NANOS;
        return ROW.formatted("Redis is", "decisions", "p50", "p99", "worst", "limit 1000/s", "by source")
                + row("before", stopNanos - beside, stopNanos)
                + row("stopped", stopNanos, goOnNanos)
                + row("after", goOnNanos, goOnNanos + beside)
                + "%nUnavailable %d ms after it was stopped, and recovered %d ms after it continued.%n"
                        .formatted(
                                TimeUnit.NANOSECONDS.toMillis(untilDownNanos),
                                TimeUnit.NANOSECONDS.toMillis(untilUpNanos));
    }

    private String row(String name, long fromNanos, long toNanos) {
        Sum all = sum(steady, fromNanos, toNanos);
        double seconds = (toNanos - fromNanos) / 1e9;
        return ROW.formatted(
                name,
                all.tookNanos.getTotalCount(),
                micros(all.tookNanos.getValueAtPercentile(50)),
                micros(all.tookNanos.getValueAtPercentile(99)),
                micros(all.tookNanos.getMaxValue()),
                String.format(
                        Locale.ROOT,
                        "%,.0f/s",
                        sum(ofAllInstances(), fromNanos, toNanos).grantedInAll() / seconds),
                all.bySource);
    }

    /** One line for each quarter of a second, in milliseconds since Redis was stopped. */
    String series() {
        StringBuilder lines = new StringBuilder("# stopped_ms=%d unavailable_ms=%d recovered_ms=%d%n"
                .formatted(
                        stoppedTime().toMillis(),
                        TimeUnit.NANOSECONDS.toMillis(untilDownNanos),
                        TimeUnit.NANOSECONDS.toMillis(untilUpNanos)));
        lines.append("ms,decisions,p50_us,p99_us,worst_us,granted_by_redis");
        for (int instance = 1; instance <= limited.size(); instance++) {
            lines.append(",granted_by_instance_").append(instance);
        }
        lines.append('\n');
        long end = stoppedTime().toNanos() / SLOT_NANOS + SLOTS_BESIDE;
        for (long slot = -SLOTS_BESIDE; slot < end; slot++) {
            long from = stopNanos + slot * SLOT_NANOS;
            Sum all = sum(steady, from, from + SLOT_NANOS);
            Sum scarce = sum(ofAllInstances(), from, from + SLOT_NANOS);
            lines.append("%d,%d,%d,%d,%d,%d"
                    .formatted(
                            TimeUnit.NANOSECONDS.toMillis(slot * SLOT_NANOS),
                            all.tookNanos.getTotalCount(),
                            all.tookNanos.getValueAtPercentile(50) / 1000,
                            all.tookNanos.getValueAtPercentile(99) / 1000,
                            all.tookNanos.getMaxValue() / 1000,
                            scarce.granted.getOrDefault(Decision.Source.BACKEND, 0L)));
            for (List<Calls> instance : limited) {
                long alone = sum(instance, from, from + SLOT_NANOS).granted.getOrDefault(Decision.Source.LOCAL, 0L);
                lines.append(',').append(alone);
            }
            lines.append('\n');
        }
        return lines.toString();
    }

    private List<Calls> ofAllInstances() {
        return limited.stream().flatMap(List::stream).toList();
    }

    private static Sum sum(List<Calls> threads, long fromNanos, long toNanos) {
        Sum calls =
                new Sum(new Histogram(3), new EnumMap<>(Decision.Source.class), new EnumMap<>(Decision.Source.class));
        threads.forEach(thread -> thread.between(fromNanos, toNanos, calls::add));
        return calls;
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%,d us", nanos / 1000);
    }

    private record Sum(Histogram tookNanos, Map<Decision.Source, Long> bySource, Map<Decision.Source, Long> granted) {

        void add(long took, Decision.Source source, boolean wasGranted) {
            tookNanos.recordValue(took);
            bySource.merge(source, 1L, Long::sum);
            if (wasGranted) {
                granted.merge(source, 1L, Long::sum);
            }
        }

        long grantedInAll() {
            return granted.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /** The calls of one thread, in their order. Nothing is allocated while the thread makes them. */
    static final class Calls {

        private static final Decision.Source[] SOURCES = Decision.Source.values();

        private final long[] returnedNanos;
        private final long[] tookNanos;
        private final byte[] source;
        private final boolean[] granted;
        private int size;

        Calls(int most) {
            returnedNanos = new long[most];
            tookNanos = new long[most];
            source = new byte[most];
            granted = new boolean[most];
        }

        void add(long startNanos, long endNanos, Decision decision) {
            returnedNanos[size] = endNanos;
            tookNanos[size] = endNanos - startNanos;
            source[size] = (byte) decision.source().ordinal();
            granted[size] = decision.isGranted();
            size++;
        }

        /** Passes on those that returned from one time to before another. */
        void between(long fromNanos, long toNanos, Visitor visitor) {
            for (int i = 0; i < size; i++) {
                if (returnedNanos[i] - fromNanos >= 0 && returnedNanos[i] - toNanos < 0) {
                    visitor.visit(tookNanos[i], SOURCES[source[i]], granted[i]);
                }
            }
        }

        interface Visitor {

            void visit(long tookNanos, Decision.Source source, boolean granted);
        }
    }
}
