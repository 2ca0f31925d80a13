package io.limiter.examples.listeners;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class Jobs {

    private final AtomicInteger reports = new AtomicInteger();
    private final AtomicInteger skipped = new AtomicInteger();

    private final Limiter hourly;

    Jobs(LimiterFactory limiters) {
        this.hourly = limiters.build("report", FixedWindow.of(1, Duration.ofHours(1)));
    }

    // listeners: scheduled
    @Scheduled(fixedDelayString = "${report.delay:10m}")
    public void report() {
        if (hourly.tryAcquire()) {
            write();
        } else {
            skipped.incrementAndGet();
        }
    }
    // end

    // listeners: async
    @Async
    @RateLimit(name = "mail", rate = 2, capacity = 1, timeout = 1)
    public CompletableFuture<String> mail(String address) {
        return CompletableFuture.completedFuture("sent to " + address);
    }
    // end

    int reports() {
        return reports.get();
    }

    int skipped() {
        return skipped.get();
    }

    private void write() {
        reports.incrementAndGet();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableScheduling
    static class Scheduling {}
}
