package io.limiter.benchmark;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.BenchmarkRedis;
import io.limiter.benchmark.report.BenchmarkPages;
import io.limiter.benchmark.report.Environment;
import io.limiter.benchmark.report.Results;
import io.limiter.benchmark.report.Results.Finished;
import io.limiter.benchmark.report.ResultsFile;
import io.limiter.benchmark.subject.Contenders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs all limiters side by side on one Redis, and writes the pages after each part. Ends with status 1 if the
 * figures are not to be used, and 2 if its options are invalid.
 */
public final class Benchmark {

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
            results = measure(options, redis, command(arguments), Benchmark::print);
        }
        BenchmarkPages pages = options.pages();
        System.out.println("Written: " + pages.users() + ", " + pages.contributors() + ", " + pages.figures());
        results.problems().forEach(problem -> System.err.println("Not to be used: " + problem));
        return results.problems().isEmpty() ? 0 : 1;
    }

    /** What is not yet there; the pages are written again after each part. */
    static Results measure(Options options, BenchmarkRedis redis, String command, Consumer<String> console)
            throws IOException, InterruptedException {
        Environment environment = Environment.here(redis.description(), options.timing(), command);
        ResultsFile file = ResultsFile.of(options.results(), environment.jdk());
        List<Part> parts = new ArrayList<>(Part.of(options));
        if (options.continued()) {
            file.checkContinued(environment.timing());
            List<String> finished = file.read(options.contenders()).parts().stream()
                    .map(Finished::part)
                    .toList();
            parts.removeIf(part -> finished.contains(part.name()));
        } else {
            file.startOver(environment);
        }
        console.accept("Redis " + environment.redis() + ", " + environment.jvm() + ", " + environment.system() + "\n");
        console.accept("Finished parts are kept in " + file + "; after an interruption --continue goes on.\n");
        Progress progress = new Progress(parts, console);
        for (Part part : parts) {
            file.add(part.action().run(redis));
            progress.ended(part);
            write(options, file);
        }
        return write(options, file);
    }

    private static Results write(Options options, ResultsFile file) throws IOException {
        List<ResultsFile> files = options.merged() ? ResultsFile.all(options.results()) : List.of(file);
        List<Results> runs = new ArrayList<>();
        for (ResultsFile each : files) {
            runs.add(each.read(options.contenders()));
        }
        options.pages().write(runs, options.whole());
        return file.read(options.contenders());
    }

    private static void print(String text) {
        System.out.print(text);
        System.out.flush();
    }

    private static String command(String arguments) {
        return "mvn -q compile -Pbenchmark" + (arguments.isEmpty() ? "" : " -Dargs=\"" + arguments + "\"");
    }

    private static void list() {
        System.out.println("Cells:");
        List<String> ofSummary = Cell.SUMMARY.stream().map(Cell::name).toList();
        Part.NAMES.forEach(name -> System.out.println("  " + name + (ofSummary.contains(name) ? "  (summary)" : "")));
        System.out.println("Subjects:");
        Contenders.ALL.forEach(contender -> System.out.println("  " + contender.name()));
        System.out.println("Options:");
        System.out.print(Options.USAGE.indent(2));
    }
}
