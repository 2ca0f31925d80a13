package io.limiter.examples.listeners;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
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

    // listeners: scheduled
    @Scheduled(fixedDelayString = "${report.delay:10m}")
    @CountLimit(name = "report", limit = 1, per = "1h", fallback = "skip")
    public void report() {
        write();
    }

    private void skip() {
        skipped.incrementAndGet();
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
