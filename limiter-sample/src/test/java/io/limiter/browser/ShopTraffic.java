package io.limiter.browser;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.context.ConfigurableApplicationContext;

/** The callers of a {@link Shop}: real HTTP requests to its instances, some of which call far more often than others. */
final class ShopTraffic implements AutoCloseable {

    private static final long STEP_MILLIS = 50;
    private static final int MOST_OPEN = 200;

    /**
     * Callers who send the same requests. What they do rises and falls, with each in a time of its own.
     *
     * @param path with {@code *} in place of a caller, some of whom are seen more often than others
     * @param address likewise; empty if it does not matter
     * @param callers how many there are
     * @param perSecond requests of all of them on average
     */
    private record Callers(String path, String address, int callers, double perSecond) {

        Callers(String path, double perSecond) {
            this(path, "", 1, perSecond);
        }

        Callers(String path, String address, double perSecond) {
            this(path, address, 1, perSecond);
        }
    }

    private static final List<Callers> ALL = List.of(
            new Callers("/search", "192.0.2.*", 40, 7),
            new Callers("/search", "198.51.100.23", 14),
            new Callers("/search", "203.0.113.5", 4),
            new Callers("/search", "203.0.113.17", 3.4),
            new Callers("/search", "203.0.113.40", 3),
            new Callers("/search", "203.0.113.61", 2.6),
            new Callers("/search", "203.0.113.88", 2.2),
            new Callers("/login-attempt?user=user-*", "", 400, 1.5),
            new Callers("/login-attempt?user=admin", 1.1),
            new Callers("/code?phone=0171-55501*", "", 80, 0.4),
            new Callers("/code?phone=0171-5550199", 0.5),
            new Callers("/checkout?user=user-*", "", 60, 5),
            new Callers("/checkout?user=reseller-9", 1.1),
            new Callers("/payment", 5),
            new Callers("/api?tenant=acme", 6),
            new Callers("/api?tenant=hooli", 1.6),
            new Callers("/api?tenant=vandelay", 1.2),
            new Callers("/api?tenant=globex", 36),
            new Callers("/api?tenant=initech", 12),
            new Callers("/api?tenant=umbrella", 8),
            new Callers("/api?tenant=trial-*", "", 9, 2.4),
            new Callers("/reports?tenant=globex&pages=4", 0.5),
            new Callers("/reports?tenant=initech&pages=2", 0.3),
            new Callers("/reports?tenant=umbrella&pages=1", 0.2),
            new Callers("/exports/globex", 1.3),
            new Callers("/exports/initech", 0.4));

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Random random = new Random(1);
    private final Semaphore open = new Semaphore(MOST_OPEN);
    private final List<ConfigurableApplicationContext> instances;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private int sent;

    ShopTraffic(List<ConfigurableApplicationContext> instances) {
        this.instances = instances;
        thread.scheduleAtFixedRate(this::step, 0, STEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void step() {
        double seconds = System.nanoTime() / 1e9;
        for (int i = 0; i < ALL.size(); i++) {
            Callers callers = ALL.get(i);
            double wave = 1 + 0.2 * Math.sin(seconds / (11 + i)) + 0.15 * Math.sin(seconds / (70 + 5 * i));
            double expected = callers.perSecond() * wave * STEP_MILLIS / 1000;
            for (int calls = (int) (expected + random.nextDouble()); calls > 0; calls--) {
                send(callers);
            }
        }
    }

    private void send(Callers callers) {
        if (!open.tryAcquire()) {
            // A machine that is this slow has enough to do.
            return;
        }
        double skewed = random.nextDouble() * random.nextDouble();
        String caller = String.valueOf(10 + (int) (skewed * callers.callers()));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(Samples.uri(
                instances.get(sent++ % instances.size()), callers.path().replace("*", caller))));
        if (!callers.address().isEmpty()) {
            request.header("X-Forwarded-For", callers.address().replace("*", caller));
        }
        http.sendAsync(request.build(), HttpResponse.BodyHandlers.discarding())
                .whenComplete((response, failure) -> open.release());
    }

    /** Waits for the responses, so that no request is under way when the instances end. */
    @Override
    public void close() {
        thread.shutdown();
        open.acquireUninterruptibly(MOST_OPEN);
    }
}
