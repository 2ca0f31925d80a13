package io.limiter.internal.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LivePollerTest {

    @Test
    void no_poll_comes_later_than_the_interval_and_none_much_earlier() {
        assertThat(LivePoller.jittered(1_000_000_000, 0)).isEqualTo(1_000_000_000);
        assertThat(LivePoller.jittered(1_000_000_000, 0.999_999_999)).isBetween(800_000_000L, 800_000_001L);
    }
}
