package io.limiter.spring.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.spring.Contexts;
import io.limiter.testing.Eventually;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a tracer shows of waits. */
class WaitSpansTest {

    @Test
    void a_wait_is_a_span_below_that_of_the_caller() {
        SimpleTracer tracer = new SimpleTracer();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultTracingObservationHandler(tracer));
        Contexts.local().withBean(ObservationRegistry.class, () -> observations).run(context -> {
            RateLimiter slow = context.getBean(LimiterFactory.class).build("slow", 100, 0.01, 60);
            Observation.createNotStarted("request", observations).observe(() -> {
                slow.decide(1, Duration.ofSeconds(30));
                slow.decide(50, Duration.ofSeconds(30));
                slow.async().decide(50, Duration.ofSeconds(30)).join();
            });
            // The caller goes on before the observation ends.
            Eventually.that(() -> assertThat(waits(tracer)).hasSize(2).allSatisfy(wait -> {
                assertThat(wait.getParentId()).isEqualTo(request(tracer).getSpanId());
                assertThat(wait.getTraceId()).isEqualTo(request(tracer).getTraceId());
                assertThat(wait.getTags()).containsEntry("limit", "slow");
                assertThat(wait.getEndTimestamp()).isAfter(wait.getStartTimestamp());
            }));
        });
    }

    private static List<SimpleSpan> waits(SimpleTracer tracer) {
        return tracer.getSpans().stream()
                // One that has just begun has no name yet.
                .filter(span -> "wait for slow".equals(span.getName()))
                .toList();
    }

    private static SimpleSpan request(SimpleTracer tracer) {
        return tracer.getSpans().stream()
                .filter(span -> span.getName().equals("request"))
                .findFirst()
                .orElseThrow();
    }
}
