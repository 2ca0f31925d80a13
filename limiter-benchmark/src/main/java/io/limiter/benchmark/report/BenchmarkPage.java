package io.limiter.benchmark.report;

import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Guarantee;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The page: the tables of the first run, then how all were measured; every figure is CSV. */
public final class BenchmarkPage {

    private static final String TITLE = "# Rate limiters side by side";
    private static final String MEASURED = "## How it was measured";

    private static final String LEGEND = """
            `raw-evalsha` is the floor: Lettuce calls a script that reads and writes one key. **× floor** and **× peer** are ratios
            within the same round. The best peer is the fastest one that never grants more than its limit; beside a limiter that
            prefetches or is local, peers decide in one JVM too. Figures are medians; compare them only within one run.
            """;

    /** What names do not say. */
    private static final Map<String, String> NOTES = Map.of(
            "limiter-plain", "one request in a call, no rejection cache",
            "limiter-yield", "threads yield for up to 1 ms before they park",
            "limiter-prefetch", "for 100 ms",
            "gateway-script", "equivalent to that of Spring Cloud Gateway's `RedisRateLimiter`");

    private static final String FIGURES = """
            The commands of single sections are in [CONTRIBUTING](../../CONTRIBUTING.md#measure).
            [%s](%s) has all figures of each JDK, with the least and the most in brackets; **⚠** marks subjects that exceeded their
            limit. *hot* is one key, *uniform* 10,000 equally frequent keys, *zipf* 1,000,000 keys by Zipf's law with exponent 0.99,
            *fleet* four instances that share 1,000 permits/s. Calls, processor time and bytes are per decision; they are
            those of the whole server, or of the JVM with its load generator.
            """;

    private BenchmarkPage() {}

    /**
     * The page's text.
     *
     * @param runs at least one, each on another JDK; the tables are of the first
     * @param figuresFile where the {@link #figures} lie
     * @param before the page that is there; sections that the runs do not have stay. Empty if there is none
     * @param whole whether the runs are the whole comparison; otherwise what is said of all sections stays too
     */
    public static String of(List<Results> runs, String figuresFile, String before, boolean whole) {
        Markdown page = new Markdown();
        page.add(TITLE);
        List<String> problems =
                runs.stream().flatMap(run -> run.problems().stream()).toList();
        if (!problems.isEmpty()) {
            page.add("**Not to be used:**");
            page.list(problems);
        }
        Results first = runs.get(0);
        Summary.write(first, page);
        ServerTable.write(first, page);
        TailTable.write(first, page);
        page.add(MEASURED);
        page.list(runs.stream()
                .map(run -> text(run.environment(), run == first ? null : first.environment()))
                .toList());
        page.add(LEGEND);
        page.add("What each promises:");
        page.list(Arrays.stream(Guarantee.values())
                .map(guarantee -> promise(guarantee, first.contenders()))
                .filter(promise -> !promise.isEmpty())
                .toList());
        page.add(String.format(Locale.ROOT, FIGURES, figuresFile, figuresFile));
        return merged(before, page.toString(), whole);
    }

    /** The sections of both pages, in their order; of two with one title, whatever their JDK, the newer one. */
    private static String merged(String before, String after, boolean whole) {
        Map<String, String> sections = new LinkedHashMap<>();
        for (String page : List.of(before, after)) {
            Map<String, String> own = sections(page);
            boolean partial = page == after && !whole;
            own.forEach((title, section) -> {
                if (!(partial && title.equals(MEASURED) && sections.containsKey(title))) {
                    sections.put(title, section);
                }
            });
        }
        // What all sections have in common comes last.
        String last = sections.remove(MEASURED);
        return String.join("\n", sections.values()) + "\n" + last;
    }

    /** By their titles without a JDK; what precedes the first one has an empty title. */
    private static Map<String, String> sections(String page) {
        return Stream.of(page.split("(?m)^(?=## )"))
                .filter(section -> !section.isEmpty())
                .collect(Collectors.toMap(
                        section -> section.startsWith("## ")
                                ? section.lines().findFirst().orElse("").replaceFirst(", JDK \\d+$", "")
                                : "",
                        section -> section.strip() + "\n",
                        (one, other) -> one,
                        LinkedHashMap::new));
    }

    /**
     * Every figure as CSV.
     *
     * @param before figures that stay unless the runs have others in their place; empty for none
     */
    public static String figures(List<Results> runs, String before) {
        Figures figures = new Figures(before);
        for (Results run : runs) {
            Summary.write(run, figures);
            StageTable.write(run, figures);
            TailTable.write(run, figures);
            ServerTable.write(run, figures);
            CellTables.write(run, figures);
        }
        return figures.toString();
    }

    /** The JDK and the command, and what differs from the other. */
    private static String text(Environment at, @Nullable Environment other) {
        String others = Stream.<Function<Environment, String>>of(
                        Environment::system,
                        environment -> "Redis " + environment.redis(),
                        Environment::libraries,
                        environment -> environment.timing().text())
                .filter(part -> other == null || !part.apply(at).equals(part.apply(other)))
                .map(part -> part.apply(at) + "; ")
                .collect(Collectors.joining());
        return String.format(
                Locale.ROOT, "**JDK %d**: %s; %s%s by `%s`", at.jdk(), at.jvm(), others, at.date(), at.command());
    }

    /** Empty if it is not given. */
    private static String promise(Guarantee guarantee, List<Contender> contenders) {
        String names = contenders.stream()
                .filter(contender -> contender.guarantee() == guarantee)
                .map(contender -> "`" + contender.name() + "`"
                        + (NOTES.containsKey(contender.name()) ? " (" + NOTES.get(contender.name()) + ")" : ""))
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : names + ": " + guarantee.text();
    }
}
