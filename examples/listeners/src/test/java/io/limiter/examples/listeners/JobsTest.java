package io.limiter.examples.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.limiter.RateLimitExceededException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(
        classes = {Jobs.class, Jobs.Scheduling.class},
        properties = "report.delay=10ms")
@EnableAutoConfiguration
class JobsTest {

    @Autowired
    private Jobs jobs;

    @Test
    void a_scheduled_run_without_a_permit_is_skipped_and_the_next_one_comes() {
        await().until(() -> jobs.skipped() >= 3);
        assertThat(jobs.reports()).isOne();
    }

    @Test
    void an_asynchronous_call_waits_in_its_executor_and_its_future_has_the_rejection() {
        List<CompletableFuture<String>> mails = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            mails.add(jobs.mail("ann"));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(mails.toArray(CompletableFuture[]::new));
        assertThatThrownBy(all::join).hasCauseInstanceOf(RateLimitExceededException.class);
        assertThat(mails.stream().filter(mail -> !mail.isCompletedExceptionally()))
                .as("one immediately, and those that come due within a second")
                .hasSizeBetween(2, 199)
                .allSatisfy(mail -> assertThat(mail.join()).isEqualTo("sent to ann"));
    }
}
