package io.limiter.benchmark;

import io.limiter.benchmark.outage.Answer;
import io.limiter.benchmark.outage.Call;
import io.limiter.benchmark.outage.Calls;
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
    private static final int SLOTS_AROUND = 20;
    private static final String ROW = "%-12s %10s %10s %10s %12s %12s   %s%n";

    Duration stoppedTime() {
        return Duration.ofNanos(goOnNanos - stopNanos);
    }

    String table() {
        long around = SLOTS_AROUND * SLOT_NANOS;
        return ROW.formatted("Redis is", "decisions", "p50", "p99", "worst", "limit 1000/s", "by answer")
                + row("before", stopNanos - around, stopNanos)
                + row("stopped", stopNanos, goOnNanos)
                + row("after", goOnNanos, goOnNanos + around)
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
                        sum(ofAllInstances(), fromNanos, toNanos).granted() / seconds),
                all.byAnswer);
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
        long end = stoppedTime().toNanos() / SLOT_NANOS + SLOTS_AROUND;
        for (long slot = -SLOTS_AROUND; slot < end; slot++) {
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
                            scarce.count(Answer.GRANTED)));
            for (List<Calls> instance : limited) {
                lines.append(',').append(sum(instance, from, from + SLOT_NANOS).count(Answer.GRANTED_ALONE));
            }
            lines.append('\n');
        }
        return lines.toString();
    }

    private List<Calls> ofAllInstances() {
        return limited.stream().flatMap(List::stream).toList();
    }

    /** Of the calls that returned from one time to before another. */
    private static Sum sum(List<Calls> threads, long fromNanos, long toNanos) {
        Sum calls = new Sum(new Histogram(3), new EnumMap<>(Answer.class));
        threads.forEach(thread -> thread.returnedBetween(fromNanos, toNanos, calls::add));
        return calls;
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%,d us", nanos / 1000);
    }

    private record Sum(Histogram tookNanos, Map<Answer, Long> byAnswer) {

        void add(Call call) {
            tookNanos.recordValue(call.tookNanos());
            byAnswer.merge(call.answer(), 1L, Long::sum);
        }

        long count(Answer answer) {
            return byAnswer.getOrDefault(answer, 0L);
        }

        long granted() {
            return count(Answer.GRANTED) + count(Answer.GRANTED_ALONE);
        }
    }
}
