package io.limiter.spring.internal.check;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.Decision;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.step.Verdict;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A rejection of another dispatch of a request, which applies to this call too. */
class RepeatedRejectionTest {

    private static final Decision REJECTION = decision(false, 5, 0, 0, Verdict.NEVER_MICROS, 0);

    static class Limited {

        @CountLimit(limit = 1, name = "thrown", per = "1h")
        public String thrown() {
            return "called";
        }
    }

    /** As if all had been rejected before. */
    static class Rejected implements DecisionRecorder {

        @Override
        public @Nullable Decision earlier(PermitRequest request) {
            return REJECTION;
        }

        @Override
        public void decided(@Nullable Decision rejection, List<LimitDecision> parts) {}

        @Override
        public void cancelled(List<LimitDecision> parts) {}

        @Override
        public void whenDone(IntConsumer action) {}
    }

    @Test
    void it_is_not_logged_again() {
        Contexts.local()
                .withBean(Limited.class)
                .withBean(DecisionRecorder.Finder.class, () -> Rejected::new)
                .run(context -> {
                    Limited limited = context.getBean(Limited.class);
                    try (LogLines log = new LogLines(RejectionLog.class)) {
                        assertThatExceptionOfType(RateLimitExceededException.class)
                                .isThrownBy(limited::thrown)
                                .satisfies(e -> assertThat(e.decision()).isEqualTo(REJECTION));
                        assertThat(log.all()).isEmpty();
                    }
                });
    }
}
