package io.limiter.benchmark.report;

import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Guarantee;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The page: what counts first, then how it was measured, then everything else. */
public final class BenchmarkPage {

    private static final String LEGEND = """
            `raw-evalsha` is no limiter but the floor: Lettuce, and a script that reads and writes one key. **× floor** is how many
            decisions a limiter makes while the floor makes one in the same round, **× peer** the same beside the *best peer*: the
            fastest in Redis that never grants more than its limit; for prefetched permits and the local engine, which call nothing,
            the fastest in one JVM. Figures are medians over the rounds, with the least and the most in brackets;
            compare them only within one run. Subjects took turns within every round, in a rotating order, after each had been
            under load for the time of warm-up.

            **⚠** marks who granted more than allowed: more than the burst of a key and its rate times the time that had passed
            since before the first request, at any grant. *hot* is one key, *uniform* 10,000 equally often, *zipf* 1,000,000 by
            Zipf's law with exponent 0.99, *fleet* four instances that share 1,000 permits/s.

            `limiter-plain` decides each request in a call of its own, without a rejection cache. `limiter-yield` has threads
            yield for up to 1 ms before they park. `limiter-prefetch` prefetches a tenth of the burst, at most 1,000,000
            permits, for 100 ms: 1,000,000 where all is granted. `limiter-lock-*` are the lock engine on two kinds of lock,
            `limiter-local` the local engine. `bucket4j-delaying` tells Redis of a tenth of the permits at once, or of fewer
            after 100 ms. `gateway-script` is equivalent to the script of Spring Cloud Gateway's `RedisRateLimiter`.
            Those that hardly differ from others in most cells are measured with 1 and 64 threads on one key only.

            What limits the limiter: one thread waits for a call per decision, as the floor does; 64 threads spend most of both
            processors on parking and waking; with many asynchronous requests on one key, one thread reads replies and completes
            futures; on 10,000 keys Redis is busy all the time; in process, a request also finds its key and is counted.
            """;

    private BenchmarkPage() {}

    /**
     * The page's text.
     *
     * @param runs at least one, each on another JDK
     * @param chartFile where the chart of the first lies, from the page
     */
    public static String of(List<Results> runs, String chartFile) {
        Markdown page = new Markdown();
        page.add("# Rate limiters side by side");
        List<String> problems =
                runs.stream().flatMap(run -> run.problems().stream()).toList();
        if (!problems.isEmpty()) {
            page.add("**Not to be used:**");
            page.list(problems);
        }
        for (Results run : runs) {
            page.add("## " + run.titled("Summary"));
            Summary.write(run, page);
            if (run == runs.get(0) && !Summary.rows(run).isEmpty()) {
                page.add("![" + Chart.TITLE + "](" + chartFile + ")");
            }
        }
        page.add("## How it was measured");
        page.list(runs.stream().map(run -> text(run.environment())).toList());
        page.add(LEGEND);
        page.add("What each promises:");
        page.list(Arrays.stream(Guarantee.values())
                .map(guarantee -> promise(guarantee, runs.get(0).contenders()))
                .filter(promise -> !promise.isEmpty())
                .toList());
        for (Results run : runs) {
            CostTables.write(run, page);
        }
        runs.forEach(run -> TailTable.write(run, page));
        runs.forEach(run -> CellTables.write(run, page));
        return page.toString();
    }

    private static String text(Environment at) {
        return String.format(
                Locale.ROOT,
                "**JDK %d**: %s; %s; Redis %s; %s; %s of each subject in each cell;" + " %s by `%s`",
                at.jdk(),
                at.jvm(),
                at.system(),
                at.redis(),
                at.libraries(),
                at.timing().text(),
                at.date(),
                at.command());
    }

    /** Empty if it is not given. */
    private static String promise(Guarantee guarantee, List<Contender> contenders) {
        String names = contenders.stream()
                .filter(contender -> contender.guarantee() == guarantee)
                .map(contender -> "`" + contender.name() + "`")
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : names + ": " + guarantee.text();
    }
}
