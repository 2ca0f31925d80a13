package io.limiter.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.benchmark.outage.Answer;
import io.limiter.benchmark.outage.Calls;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OutageReportTest {

    private static final long STOP = TimeUnit.SECONDS.toNanos(100);
    private static final long GO_ON = TimeUnit.SECONDS.toNanos(101);

    private final Calls steady = new Calls(10);
    private final Calls limited = new Calls(10);
    private final Calls limitedElsewhere = new Calls(10);
    private final OutageReport report = new OutageReport(
            List.of(steady),
            List.of(List.of(limited), List.of(limitedElsewhere)),
            STOP,
            GO_ON,
            147_000_000,
            12_000_000);

    @Test
    void a_call_belongs_to_the_moment_when_it_returned() {
        add(steady, -400, 2, Answer.GRANTED);
        add(steady, 90, 100, Answer.GRANTED_ALONE);
        add(steady, 1_010, 20, Answer.GRANTED_ALONE);
        add(steady, 1_020, 1, Answer.GRANTED);
        add(limited, -10, 1, Answer.GRANTED);
        add(limited, -9, 1, Answer.REJECTED_AGAIN);
        add(limited, 10, 1, Answer.GRANTED_ALONE);
        add(limited, 11, 1, Answer.GRANTED_ALONE);
        add(limited, 12, 1, Answer.REJECTED_ALONE);
        add(limitedElsewhere, -8, 1, Answer.GRANTED);
        add(limitedElsewhere, 12, 1, Answer.GRANTED_ALONE);

        assertThat(report.table().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "before 1 2,000 us 2,000 us 2,000 us 0/s {GRANTED=1}",
                        "stopped 1 100,007 us 100,007 us 100,007 us 3/s {GRANTED_ALONE=1}",
                        "after 2 1,000 us 20,004 us 20,004 us 0/s {GRANTED=1, GRANTED_ALONE=1}",
                        "Unavailable 147 ms after it was stopped, and recovered 12 ms after it continued.");
        assertThat(report.series().lines())
                .hasSize(2 + 20 + 4 + 20)
                .startsWith(
                        "# stopped_ms=1000 unavailable_ms=147 recovered_ms=12",
                        "ms,decisions,p50_us,p99_us,worst_us,granted_by_redis,granted_by_instance_1,granted_by_instance_2",
                        "-5000,0,0,0,0,0,0,0")
                .contains(
                        "-500,1,2000,2000,2000,0,0,0",
                        "-250,0,0,0,0,2,0,0",
                        "0,1,100007,100007,100007,0,2,1",
                        "1000,2,1000,20004,20004,0,0,0")
                .endsWith("5750,0,0,0,0,0,0,0");
    }

    /** At a time in milliseconds since the stop. */
    private static void add(Calls calls, long returnedMillis, long tookMillis, Answer answer) {
        long end = STOP + TimeUnit.MILLISECONDS.toNanos(returnedMillis);
        calls.begin(end - TimeUnit.MILLISECONDS.toNanos(tookMillis));
        calls.end(end, answer);
    }
}
