package io.limiter.benchmark.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.benchmark.measure.Timing;
import io.limiter.benchmark.subject.Contender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The results of the runs on one JDK, which a line is added to when a part has finished; the first is the environment. */
public final class ResultsFile {

    private static final String PREFIX = "jdk-";
    private static final String SUFFIX = ".jsonl";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    private ResultsFile(Path file) {
        this.file = file;
    }

    /** The one of a JDK; it may not exist. */
    public static ResultsFile of(Path folder, int jdk) {
        return new ResultsFile(folder.resolve(PREFIX + jdk + SUFFIX));
    }

    /** Those that are there, from the oldest JDK to the newest. */
    public static List<ResultsFile> all(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(PREFIX))
                    .sorted(Comparator.comparing(file -> file.getFileName().toString()))
                    .map(ResultsFile::new)
                    .toList();
        }
    }

    /** Forgets what is there. */
    public void startOver(Environment environment) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, line(environment));
    }

    /**
     * Keeps what is there.
     *
     * @throws IllegalArgumentException if nothing is, or it was not measured in the same way
     */
    public void checkContinued(Timing timing) throws IOException {
        Timing before;
        try {
            before = read(List.of()).environment().timing();
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("--continue: there is no " + file, e);
        }
        if (!before.equals(timing)) {
            throw new IllegalArgumentException(
                    "--continue: " + file + " was measured in " + before.text() + ", not in " + timing.text());
        }
    }

    public void add(Results.Finished part) throws IOException {
        Files.writeString(file, line(part), StandardOpenOption.APPEND);
    }

    /**
     * @param contenders in the order in which they are to be shown
     */
    public Results read(List<Contender> contenders) throws IOException {
        List<String> lines = Files.readAllLines(file);
        List<Results.Finished> parts = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            parts.add(JSON.readValue(line, Results.Finished.class));
        }
        return new Results(JSON.readValue(lines.get(0), Environment.class), contenders, parts);
    }

    private static String line(Object value) throws JsonProcessingException {
        return JSON.writeValueAsString(value) + "\n";
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
