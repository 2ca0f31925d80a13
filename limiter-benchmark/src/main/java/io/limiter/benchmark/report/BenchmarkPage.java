package io.limiter.benchmark.report;

import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Guarantee;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The page: what counts first, then how it was measured; all figures are CSV. */
public final class BenchmarkPage {

    private static final String LEGEND = """
            `raw-evalsha` is no limiter but the floor: Lettuce, and a script that reads and writes one key. **× floor** is how many
            decisions a limiter makes while the floor makes one in the same round; **× peer** compares with the *best peer*, the
            fastest in Redis that never grants more than its limit, or for prefetched permits and the local engine in one JVM.
            Figures are medians over the rounds; compare them only within one run. Subjects took turns within every round, in a
            rotating order. **⚠** marks who granted more than the burst of a key and its rate times the time that had passed.

            `limiter-plain` decides each request in a call of its own, without a rejection cache. `limiter-yield` has threads
            yield for up to 1 ms before they park. `limiter-prefetch` prefetches a tenth of the burst, at most 1,000,000
            permits, for 100 ms. `limiter-lock-*` are the lock engine, `limiter-local` the local engine. `bucket4j-delaying`
            tells Redis of a tenth of the permits at once, or of fewer after 100 ms. `gateway-script` is equivalent to the script
            of Spring Cloud Gateway's `RedisRateLimiter`.

            One thread waits for a call per decision, as the floor does. 64 threads spend most of both processors on parking and
            waking. With many asynchronous requests on one key, one thread completes all futures; on 10,000 keys Redis is busy all
            the time.
            """;

    private static final String FIGURES = """
            [%s](%s) has every cell, the costs of a decision by stage, and the tail on each JDK, a value in each
            line with the least and the most in brackets. *hot* is one key, *uniform* 10,000 equally often, *zipf* 1,000,000 by
            Zipf's law with exponent 0.99, *fleet* four instances that share 1,000 permits/s. Calls, processor time and bytes are for
            each decision; client processor time and bytes are all of the JVM's, with what makes the load, and those of Redis are the
            server's. Stages are sampled by JDK Flight Recorder, which JDKs before 25 cannot do for system calls, and which loses
            samples of threads that park.
            """;

    private BenchmarkPage() {}

    /**
     * The page's text.
     *
     * @param runs at least one, each on another JDK
     * @param chartFile where the chart of the first lies, from the page
     * @param figuresFile where the {@link #figures} lie
     */
    public static String of(List<Results> runs, String chartFile, String figuresFile) {
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
        TailTable.write(runs.get(0), page);
        CellTables.writeMemory(runs.get(0), page);
        page.add("## All figures");
        page.add(String.format(Locale.ROOT, FIGURES, figuresFile, figuresFile));
        return page.toString();
    }

    /** Every figure as CSV. */
    public static String figures(List<Results> runs) {
        Figures figures = new Figures();
        for (Results run : runs) {
            StageTable.write(run, figures);
            TailTable.write(run, figures);
            CellTables.write(run, figures);
        }
        return figures.toString();
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
