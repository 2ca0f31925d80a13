package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.resilience.Failover;
import io.limiter.spi.Engine;
import io.limiter.spi.PendingDecision;
import io.limiter.testing.HandEngine;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class FailureWarmUpTest {

    @Test
    void the_local_engine_answers_peeks_after_their_timeout() {
        List<String> peeked = new CopyOnWriteArrayList<>();
        FailureWarmUp.run("probe", new Engine() {
            @Override
            public void decide(PendingDecision<?> pending) {
                assertThat(pending.request(0).peek()).isTrue();
                peeked.add(pending.key());
                pending.decided(part -> Failover.granted(HandEngine.LIMIT));
            }

            @Override
            public void reset(String key) {
                throw new UnsupportedOperationException();
            }
        });
        assertThat(peeked).hasSize(4).containsOnly("probe");
    }
}
