package io.limiter.benchmark.report;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.lettuce.core.RedisClient;
import io.limiter.benchmark.measure.Timing;
import io.limiter.faults.report.Evidence;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.redisson.Redisson;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Where and how figures were taken.
 *
 * @param redis its version and where it came from
 * @param commit as of {@link Evidence}
 * @param processors of the machine
 * @param libraries peers and clients with their versions
 * @param command what takes the figures again
 */
public record Environment(
        String date,
        int jdk,
        String jvm,
        String system,
        String redis,
        String commit,
        int processors,
        String libraries,
        Timing timing,
        String command) {

    private static final Pattern VERSION = Pattern.compile("-(\\d[^/]*?)(?:\\.RELEASE)?\\.jar$");

    /** What is measured, as modules of {@link Evidence#here}. */
    public static final String CODE = "limiter-*";

    /** This JVM, today. */
    public static Environment here(String redis, Timing timing, String command) {
        Evidence evidence = Evidence.here(redis, CODE);
        return new Environment(
                evidence.date(),
                Runtime.version().feature(),
                evidence.jvm(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", " + evidence.processors()
                        + " processors",
                redis,
                evidence.commit(),
                evidence.processors(),
                versions(),
                timing,
                command);
    }

    /** Of the figures taken in it. */
    Evidence evidence() {
        return new Evidence(commit, date, jvm, "Redis " + redis.split(" ")[0], processors);
    }

    /** In a line, without machine, libraries and command. */
    String summary() {
        return String.format(Locale.ROOT, "JDK %d, Redis %s, %s, %s.", jdk, redis.split(" ")[0], timing.text(), date);
    }

    private static String versions() {
        return List.<Map.Entry<String, Class<?>>>of(
                        Map.entry("Bucket4j", Bucket.class),
                        Map.entry("Redisson", Redisson.class),
                        Map.entry("Guava", RateLimiter.class),
                        Map.entry("Lettuce", RedisClient.class),
                        Map.entry("Spring Data Redis", RedisTemplate.class))
                .stream()
                .map(library -> library.getKey() + " " + version(library.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** As the name of the jar says. */
    private static String version(Class<?> type) {
        Matcher version = VERSION.matcher(
                type.getProtectionDomain().getCodeSource().getLocation().getPath());
        return version.find() ? version.group(1) : "of unknown version";
    }
}
