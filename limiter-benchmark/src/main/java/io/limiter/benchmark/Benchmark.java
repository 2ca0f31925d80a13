package io.limiter.benchmark;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Cells;
import io.limiter.benchmark.measure.BenchmarkRedis;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.CellRunner;
import io.limiter.benchmark.measure.KeyMemory;
import io.limiter.benchmark.report.Chart;
import io.limiter.benchmark.report.Environment;
import io.limiter.benchmark.report.MarkdownReport;
import io.limiter.benchmark.report.Results;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs all limiters side by side on one Redis, and writes a page and a chart. Ends with status 1 if the figures are not
 * to be used, and 2 if its options are invalid.
 */
public final class Benchmark {

    private static final String PAGE = "README.md";
    private static final String CHART = "chart.svg";

    private Benchmark() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int status;
        try {
            status = run(Options.parse(arguments), String.join(" ", arguments));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            status = 2;
        }
        // Some clients leave threads behind that would keep the JVM alive.
        System.exit(status);
    }

    private static int run(Options options, String arguments) throws IOException, InterruptedException {
        if (options.list()) {
            list();
            return 0;
        }
        Results results;
        try (BenchmarkRedis redis = BenchmarkRedis.open(System.getProperty("redis", ""))) {
            results = measure(options, redis, command(arguments), System.out::println);
        }
        write(results, options.out());
        System.out.println("Written: " + options.out().resolve(PAGE) + " and "
                + options.out().resolve(CHART));
        results.problems().forEach(problem -> System.err.println("Not to be used: " + problem));
        return results.problems().isEmpty() ? 0 : 1;
    }

    static Results measure(Options options, BenchmarkRedis redis, String command, Consumer<String> progress)
            throws InterruptedException {
        Environment environment = Environment.here(redis.description(), options.timing(), command);
        progress.accept("Redis " + environment.redis() + ", " + environment.jvm() + ", " + environment.system());
        List<Contender> contenders = options.contenders();
        CellRunner runner = new CellRunner(redis, options.timing(), progress);
        List<CellResult> cells = new ArrayList<>();
        for (Cell cell : options.cells()) {
            cells.add(runner.run(cell, contenders));
        }
        List<KeyMemory> memory = new ArrayList<>();
        if (options.memory()) {
            contenders.stream()
                    .filter(contender -> !contender.inProcess() && !contender.isFloor())
                    .forEach(contender -> memory.add(KeyMemory.measure(contender, redis)));
        }
        return new Results(environment, contenders, cells, memory);
    }

    static void write(Results results, Path out) throws IOException {
        Files.createDirectories(out);
        Files.writeString(out.resolve(PAGE), MarkdownReport.of(results, CHART));
        Files.writeString(out.resolve(CHART), Chart.of(results));
    }

    private static String command(String arguments) {
        return "mvn -q compile -Pbenchmark" + (arguments.isEmpty() ? "" : " -Dargs=\"" + arguments + "\"");
    }

    private static void list() {
        System.out.println("Cells:");
        Cells.all()
                .forEach(cell ->
                        System.out.println("  " + cell.name() + (Cells.SHORT.contains(cell) ? "  (short)" : "")));
        System.out.println("  " + Options.MEMORY + "  (short)");
        System.out.println("Subjects:");
        Contenders.ALL.forEach(contender -> System.out.println("  " + contender.name()));
        System.out.println("Options:");
        System.out.print(Options.USAGE.indent(2));
    }
}
