package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.BackendFailures;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimiterBackendExceptionTest {

    private final LimiterBackendException failure =
            new LimiterBackendException(Kind.RETRYABLE, "READONLY", "a", "it fails over", null, null);

    @Test
    void copies_for_another_thread_or_key_keep_suppressed_failures() {
        failure.addSuppressed(new IllegalStateException("not refunded"));
        assertThat(failure.inThisThread().getSuppressed()).containsExactly(failure.getSuppressed());
        assertThat(failure.forKey("b").getSuppressed()).containsExactly(failure.getSuppressed());
        assertThat(failure.maybeDone().getSuppressed()).containsExactly(failure.getSuppressed());
    }

    @Test
    void a_failure_of_live_limits_says_nothing_of_permits() {
        for (String key : List.of("limits", "version", "history", "keys", "watched", "fleet", "instances")) {
            assertThat(failure.forKey("{limiter:live:shop}:" + key).maybeDone())
                    .as(key)
                    .hasMessageContaining("read the live limits before you repeat it");
        }
    }

    @Test
    void a_failure_that_may_have_been_executed_is_ambiguous() {
        LimiterBackendException maybeDone = failure.maybeDone();
        assertThat(maybeDone.kind()).isEqualTo(Kind.AMBIGUOUS);
        assertThat(maybeDone.isAmbiguous()).isTrue();
        assertThat(maybeDone.problem()).isEqualTo("READONLY");
        assertThat(maybeDone.key()).isEqualTo("a");
        assertThat(maybeDone)
                .hasMessage("no decision for key 'a': it fails over; it may have been executed, so count the"
                        + " permits as taken");
        assertThat(maybeDone.maybeDone()).isSameAs(maybeDone);
        assertThat(BackendFailures.closed("a").maybeDone())
                .matches(LimiterBackendException::isAmbiguous)
                .matches(closed -> closed.kind() == Kind.CLOSED);
    }
}
