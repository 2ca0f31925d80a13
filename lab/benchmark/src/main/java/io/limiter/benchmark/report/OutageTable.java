package io.limiter.benchmark.report;

import io.limiter.benchmark.outage.Fault;
import io.limiter.benchmark.outage.FleetOutage;
import io.limiter.benchmark.outage.FleetResult;
import io.limiter.benchmark.report.Section.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** What callers get while Redis fails: a row for each library, fleet and limit, and a column for each fault. */
final class OutageTable {

    private static final int FLEET_FOR_USERS = 4;

    private static final List<String> COLUMNS = Stream.concat(
                    Stream.of("library, instances, limit"),
                    Arrays.stream(Fault.values()).map(Fault::title))
            .toList();

    private static final String LEGEND = """
            A fleet shares a limit of 1,000 a second and another of 1 a minute. Each instance has its own clients, and each library and client
            has its default settings. All instances run in one JVM. Together they try to take 2,000 permits a second of the first limit, with 8
            threads in each instance, and 500 a second of the second one, with 2 threads in each instance.

            - *Stopped*: for %d s, Redis neither answers nor closes connections (`SIGSTOP`).
            - *Restarted empty*: Redis is killed, and started without its data %d s later.
            - *Failed over*: the primary is killed, and a Sentinel promotes its replica.
            - *Crash-looping*: for %d s, Redis is killed every second, and started without its data half a second later.

            Each cell covers the time from the fault until Redis decides again for every instance. *p99* is how long calls took, where a caller
            that waits is counted again for each call that it would have made in that time. A `>` means that the longest call still had no answer when
            the run ended. *Errors* are exceptions that callers got. *Above* counts the grants above capacity + rate × t in the worst time t.
            *Back* is the time from the end of the fault until Redis decided again for the last instance.
            """;

    private static final String REMARK = """
            What an application has to add depends on the library:

            - **limiter**: nothing. Each instance grants its share of the limit alone. The bounds (`docs/bounds.md`) allow that: the limit once
              more, and its capacity once more each time that Redis loses its data. Grants above these bounds: %s.
            - **bucket4j**, **bucket4j-batching**, **gateway** and **gateway-bucket4j** wait for Redis as long as Lettuce does, which is 60 s
              unless the application sets a shorter timeout. Until then each caller blocks, or holds its request. A call fails after the
              timeout, or when its connection breaks. Then Bucket4j throws, and the application has to decide whether the call may go on. The
              gateway's `RedisRateLimiter` (**gateway**) lets the request pass, and its `Bucket4jRateLimiter` (**gateway-bucket4j**) rejects
              it. Because `RedisRateLimiter` counts whole seconds, it grants up to twice its limit around the end of a second, even without a
              fault.
            - **redisson** waits for 3 s and tries up to four times again. Then it throws, and the application has to decide whether the call may
              go on. It keeps the rate of a limiter in Redis. Once Redis has lost its data, each call throws until the application sets the
              rate again. Here it sets the rate once, when it starts.

            `docs/benchmark/%s` also has the other fleets, the other limit, and how often calls were made and granted. %s
            """;

    private OutageTable() {}

    static Section of(Results results) {
        // In the order of the run.
        Map<List<Object>, List<FleetResult>> rows = new LinkedHashMap<>();
        for (FleetResult result : results.outages()) {
            rows.computeIfAbsent(
                            List.of(result.library(), result.instances(), result.limit()), unused -> new ArrayList<>())
                    .add(result);
        }
        return new Section(
                "While Redis fails",
                String.format(
                        Locale.ROOT,
                        LEGEND,
                        Fault.STOPPED.seconds(),
                        Fault.RESTARTED.seconds(),
                        Fault.CRASH_LOOPING.seconds()),
                COLUMNS,
                rows.values().stream().map(OutageTable::row).toList(),
                String.format(Locale.ROOT, REMARK, beyond(results), OutageFigures.FILE, environment(results)));
    }

    private static String beyond(Results results) {
        long most =
                results.outages().stream().mapToLong(FleetResult::beyond).max().orElse(0);
        return most == 0 ? "none" : Numbers.of(most);
    }

    private static String environment(Results results) {
        Environment run = results.environment();
        return String.format(
                Locale.ROOT,
                "One run, JDK %d, Redis %s, %s.",
                run.jdk(),
                run.redis().split(" ")[0],
                run.date());
    }

    /** Of one library, fleet and limit. */
    private static Row row(List<FleetResult> results) {
        FleetResult first = results.get(0);
        boolean forUsers = first.instances() == FLEET_FOR_USERS && first.limit().equals(FleetOutage.FAST.title());
        String fleet = first.instances() == 1 ? "1 instance" : first.instances() + " instances";
        Stream<String> cells = Arrays.stream(Fault.values())
                .map(fault -> results.stream()
                        .filter(result -> result.fault().equals(fault.title()))
                        .findFirst()
                        .map(OutageTable::cell)
                        .orElse(Numbers.NONE));
        return new Row(
                forUsers,
                Stream.concat(Stream.of(first.library() + ", " + fleet + ", " + first.limit()), cells)
                        .toList());
    }

    private static String cell(FleetResult result) {
        return String.format(
                Locale.ROOT,
                "p99 %s, longest %s%s, %s, %s above, %s",
                time(result.p99Millis()),
                result.unanswered() > 0 ? "> " : "",
                time(result.longestMillis()),
                result.failed() == 1 ? "1 error" : Numbers.of(result.failed()) + " errors",
                Numbers.of(result.above()),
                result.recoveryMillis() == null ? "not back" : "back " + time(result.recoveryMillis()));
    }

    private static String time(double millis) {
        return millis < 1000 ? Numbers.of(millis) + " ms" : Numbers.of(millis / 1000) + " s";
    }
}
