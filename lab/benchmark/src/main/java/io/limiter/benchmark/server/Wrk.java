package io.limiter.benchmark.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.Resources;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The results of one run of {@code wrk}, which sends requests from 32 connections, each as soon as the one before it is answered.
 *
 * @param p50 of the time from request to response, in microseconds
 */
record Wrk(double requestsPerSecond, double p50, double p99, long requests) {

    private static final String CONNECTIONS = "-c32";
    private static final Pattern FAILED = Pattern.compile("(?m)^ *(Non-2xx .*|Socket errors: .*)$");

    static boolean isInstalled() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "wrk")));
    }

    /** @throws IllegalStateException if requests fail */
    static Wrk run(String url, long seconds) throws InterruptedException {
        try {
            Path keys = Files.createTempFile("keys", ".lua");
            try {
                Files.writeString(keys, Resources.toString(Resources.getResource(Wrk.class, "keys.lua"), UTF_8));
                Process wrk = new ProcessBuilder(List.of(
                                "wrk",
                                "-t1",
                                "-T60s",
                                CONNECTIONS,
                                "-d" + seconds + "s",
                                "--latency",
                                "-s",
                                keys + "",
                                url))
                        .redirectErrorStream(true)
                        .start();
                String output = new String(wrk.getInputStream().readAllBytes(), UTF_8);
                wrk.waitFor();
                return parse(output);
            } finally {
                Files.delete(keys);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws IllegalStateException if requests have failed or none was answered, or it has printed something else */
    static Wrk parse(String output) {
        Matcher failed = FAILED.matcher(output);
        if (failed.find()) {
            throw new IllegalStateException("wrk: " + failed.group(1));
        }
        long requests = Long.parseLong(found("([0-9]+) requests in ", output));
        if (requests == 0) {
            throw new IllegalStateException("wrk: no request was answered; measure for longer with --seconds");
        }
        return new Wrk(
                Double.parseDouble(found("Requests/sec: +([0-9.]+)", output)),
                micros(found(" 50% +([0-9.]+[a-z]+)", output)),
                micros(found(" 99% +([0-9.]+[a-z]+)", output)),
                requests);
    }

    private static String found(String pattern, String output) {
        Matcher matcher = Pattern.compile(pattern).matcher(output);
        if (!matcher.find()) {
            throw new IllegalStateException("wrk has printed no " + pattern + ": " + output);
        }
        return matcher.group(1);
    }

    /** From a time such as {@code 1.37ms}. */
    private static double micros(String time) {
        double number = Double.parseDouble(time.replaceFirst("[a-z]+$", ""));
        return time.endsWith("us") ? number : time.endsWith("ms") ? number * 1e3 : number * 1e6;
    }
}
