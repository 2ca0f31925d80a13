package io.limiter.console;

import io.limiter.algorithm.LimitKind;
import io.limiter.live.ChangeNote;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The console of a fleet that is made up, to work on the page: run it and open
 * http://localhost:8090/limiter as the user operator with the password operator.
 */
public final class ConsoleDemo {

    private ConsoleDemo() {}

    public static void main(String[] args) {
        SpringApplication.run(
                Application.class,
                "--server.address=127.0.0.1",
                "--server.port=8090",
                "--limiter.console.enabled=true",
                "--limiter.console.write-authorities=ROLE_OPERATOR",
                "--spring.security.user.name=operator",
                "--spring.security.user.password=operator",
                "--spring.security.user.roles=OPERATOR",
                "--limiter.type=local");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        LiveLimits liveLimits() {
            FakeLiveLimits limits = new FakeLiveLimits();
            Traffic traffic = new Traffic(limits);
            limits.reports(traffic::reports);
            limits.put(
                    "import",
                    LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(4).withEnforce(false),
                    ChangeNote.of("maria", "Trying out a lower limit before the migration")
                            .withExpiry(Duration.ofMinutes(40)),
                    0);
            return limits;
        }
    }

    /** Calls of made-up limits. */
    static final class Traffic {

        private record Limit(String prefix, String name, LimitKind kind, LiveSettings settings, double demand) {

            /** Per second. */
            double most(LiveSettings live) {
                if (settings.rate() != null) {
                    return live.rate() == null ? settings.rate() : live.rate();
                }
                long limit = live.limit() == null ? settings.limit() : live.limit();
                return settings.period() == null
                        ? limit
                        : limit * 1.0 / settings.period().toSeconds();
            }
        }

        private static final List<Limit> LIMITS = List.of(
                bucket("rateLimit:", "search", 50, 100, 63),
                bucket("rateLimit:", "import", 10, 10, 6),
                bucket("rateLimit:", "sms-code", 1.0 / 60, 1, 0.02),
                window("countLimit:", "login", 30, 60, 0.8),
                window("http:", "/api/**", 6000, 60, 84),
                new Limit(
                        "concurrentLimit:",
                        "report",
                        LimitKind.CONCURRENT,
                        LiveSettings.of(LimitKind.CONCURRENT).withLimit(8),
                        3));

        private final FakeLiveLimits live;
        private final Map<String, long[]> totals = new TreeMap<>();
        private long lastNanos = System.nanoTime();

        Traffic(FakeLiveLimits live) {
            this.live = live;
        }

        private static Limit bucket(String prefix, String name, double rate, double capacity, double demand) {
            return new Limit(
                    prefix,
                    name,
                    LimitKind.TOKEN_BUCKET,
                    LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(rate).withCapacity(capacity),
                    demand);
        }

        private static Limit window(String prefix, String name, int limit, int seconds, double demand) {
            return new Limit(
                    prefix,
                    name,
                    LimitKind.FIXED_WINDOW,
                    LiveSettings.of(LimitKind.FIXED_WINDOW).withLimit(limit).withPeriod(Duration.ofSeconds(seconds)),
                    demand);
        }

        synchronized List<InstanceReport> reports() {
            double seconds = (System.nanoTime() - lastNanos) / 1e9;
            lastNanos = System.nanoTime();
            List<InstanceReport> reports = new ArrayList<>();
            for (int i = 1; i <= 3; i++) {
                double share = new double[] {0.5, 0.3, 0.2}[i - 1];
                List<LimitReport> limits = new ArrayList<>();
                for (Limit limit : LIMITS) {
                    LiveSettings settings = live.settingsOf(limit.name()).get();
                    double wave = 1
                            + 0.25
                                    * Math.sin(System.nanoTime() / 9e9
                                            + limit.name().length());
                    double demand = limit.demand() * wave * (0.9 + 0.2 * Math.random());
                    double granted = Math.min(demand, limit.most(settings));
                    long[] counts = totals.computeIfAbsent(i + limit.name(), any -> new long[2]);
                    counts[0] += Math.round(granted * share * seconds);
                    counts[1] += Math.round((demand - granted) * share * seconds);
                    LiveSettings effective = settings.isEmpty() ? limit.settings() : merged(limit, settings);
                    limits.add(LimitReport.of(
                            limit.prefix(),
                            limit.name(),
                            limit.name(),
                            limit.kind().toString(),
                            effective.toString(),
                            effective,
                            counts[0],
                            counts[1],
                            0,
                            limit.name().equals("import") ? counts[0] / 2 : 0,
                            limit.name().equals("import") ? Duration.ofMillis(counts[0] * 65) : Duration.ZERO,
                            Map.of("REDIS", counts[0] + counts[1] / 3, "REJECTION_CACHE", counts[1] * 2 / 3),
                            limit.name().equals("report")
                                    ? List.of()
                                    : List.of(
                                            LimitReport.HotKey.of("4f0c9a31be77d210", 412 - 20 * i),
                                            LimitReport.HotKey.of("91d2aa0347e6c5bf", 96),
                                            LimitReport.HotKey.of("07be11c2d9f3a846", 31)),
                            counts[1] == 0
                                    ? List.of()
                                    : List.of(LimitReport.RejectedKey.of(
                                            "4f0c9a31be77d210",
                                            212 - 20 * i,
                                            List.of(Instant.now().minusSeconds(i)))),
                            "",
                            Map.of()));
                }
                reports.add(InstanceReport.of(
                        "shop-" + i + ":8080", Instant.now(), live.version(), "available", limits, List.of()));
            }
            return reports;
        }

        private static LiveSettings merged(Limit limit, LiveSettings live) {
            LiveSettings merged = limit.settings();
            merged = live.rate() == null ? merged : merged.withRate(live.rate());
            merged = live.limit() == null ? merged : merged.withLimit(live.limit());
            return live.period() == null ? merged : merged.withPeriod(live.period());
        }
    }
}
