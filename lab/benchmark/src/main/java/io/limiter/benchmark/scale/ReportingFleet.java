package io.limiter.benchmark.scale;

import io.limiter.benchmark.scale.Totals.By;
import java.util.SplittableRandom;

/**
 * Instances that decide alone and report afterwards, as Databricks describes its rate limiter: every 100 ms an instance reports
 * how much was requested from it, and the reply is what part of the requests it is to reject, by the rate at which
 * all were requested in the last 100 ms.
 */
final class ReportingFleet {

    private static final long REPORT_NANOS = 100_000_000;
    private static final double REPORTS_PER_SECOND = 1e9 / REPORT_NANOS;

    private final Timeline timeline;
    private final Shard shard;
    private final Totals totals;
    private final SplittableRandom random;
    private final double limitPerSecond;
    private long period;
    private double requested;
    private double requestedBefore;

    ReportingFleet(Timeline timeline, Shard shard, Totals totals, double limitPerSecond, SplittableRandom random) {
        this.timeline = timeline;
        this.shard = shard;
        this.totals = totals;
        this.limitPerSecond = limitPerSecond;
        this.random = random;
    }

    FleetMember member() {
        return new Member();
    }

    /** What part is to be rejected, after a report. */
    private double rejected(int requests) {
        long now = timeline.nowNanos() / REPORT_NANOS;
        if (now != period) {
            requestedBefore = now == period + 1 ? requested : 0;
            requested = 0;
            period = now;
        }
        requested += requests;
        double perSecond = requestedBefore * REPORTS_PER_SECOND;
        return perSecond <= limitPerSecond ? 0 : 1 - limitPerSecond / perSecond;
    }

    private final class Member implements FleetMember {

        private int requests;
        private double rejected;

        Member() {
            timeline.at(random.nextLong(REPORT_NANOS), this::report);
        }

        @Override
        public void request() {
            requests++;
            if (random.nextDouble() >= rejected) {
                totals.decidedAtOnce(By.LOCAL);
                totals.granted();
                totals.taken(timeline.nowNanos() / 1_000);
            } else {
                totals.decidedAtOnce(By.CACHED);
            }
        }

        @Override
        public void crash() {
            requests = 0;
            rejected = 0;
        }

        private void report() {
            timeline.at(timeline.nowNanos() + REPORT_NANOS, this::report);
            int reported = requests;
            requests = 0;
            double[] reply = new double[1];
            shard.call(1, 1, micros -> reply[0] = rejected(reported), () -> rejected = reply[0]);
        }
    }
}
