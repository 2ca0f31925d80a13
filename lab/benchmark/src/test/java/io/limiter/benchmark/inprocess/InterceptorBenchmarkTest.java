package io.limiter.benchmark.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.RateLimitExceededException;
import org.junit.jupiter.api.Test;

class InterceptorBenchmarkTest {

    @Test
    void all_calls_but_one_are_granted() {
        InterceptorBenchmark benchmark = new InterceptorBenchmark();
        benchmark.request();
        for (InterceptorBenchmark.Call call : InterceptorBenchmark.Call.values()) {
            benchmark.call = call;
            assertThat(benchmark.call())
                    .as(call.name())
                    .isInstanceOf(
                            call == InterceptorBenchmark.Call.REJECTED
                                    ? RateLimitExceededException.class
                                    : String.class);
        }
    }
}
