package io.limiter.spring.client;

import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.thread.LimiterThread;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.internal.check.Resettable;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.http.HttpHeaders;

/**
 * The pauses that third parties request. One begins here with the response; a live ban of the client's key announces it to the other
 * instances, which a thread of its own stores, because a response must not wait for Redis. Safe for use by many threads.
 */
final class ClientPauses implements Resettable, DisposableBean {

    /** Stores the live bans. A live limit by anyone else is left alone. */
    static final String WHO = "limiter.clients";

    private static final Logger log = LoggerFactory.getLogger(ClientPauses.class);

    private static final Duration SHORTEST_BAN = Duration.ofSeconds(1);
    private static final int ATTEMPTS = 5;
    private static final int MOST_QUEUED = 1000;

    private final boolean enabled;
    private final LiveLimits live;
    private final ApplicationEventPublisher events;
    private final LongSupplier nanoTime;
    private final Map<String, ClientPause> byClient = new ConcurrentHashMap<>();
    private final Map<String, Announced> byLimit = new ConcurrentHashMap<>();
    private final AutoCloseable subscription;
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_QUEUED),
            LimiterThread.named("limiter-client-pauses"),
            // The pause holds here in any case, and the next response announces it.
            new ThreadPoolExecutor.DiscardPolicy());

    /**
     * @param enabled whether calls are limited
     * @param live {@link LiveLimits#NONE} if each instance pauses by itself
     * @param nanoTime the clock by which pauses end
     */
    ClientPauses(boolean enabled, LiveLimits live, ApplicationEventPublisher events, LongSupplier nanoTime) {
        this.enabled = enabled;
        this.live = live;
        this.events = events;
        this.nanoTime = nanoTime;
        thread.allowCoreThreadTimeOut(true);
        this.subscription = live.subscribe(this::changed);
    }

    /**
     * A pause with the key whose live ban announces it.
     *
     * @param key the name of the client
     */
    private record Announced(LiveKey key, ClientPause pause) {}

    /** The pause of a client, which goes on when its settings change. The live bans of this limit announce it. */
    ClientPause of(String client, String limit) {
        ClientPause pause = byClient.computeIfAbsent(client, name -> new ClientPause(nanoTime, new Random()));
        LiveKey key = LiveKey.of(client);
        byLimit.put(limit, new Announced(key, pause));
        // One that was there before this instance.
        live.get(limit, key).filter(ban -> ban.who().equals(WHO)).ifPresent(ban -> banned(pause, ban));
        return pause;
    }

    /** Begins or prolongs the pause of a client, if a response requests it. */
    void answered(ClientRule client, int status, HttpHeaders headers) {
        Duration most = client.pauseAtMost();
        Duration requested =
                enabled && !most.isZero() ? client.requestedPause().of(status, headers, Instant.now()) : Duration.ZERO;
        boolean cut = requested.compareTo(most) > 0;
        if (!requested.isZero() && client.pause().prolong(cut ? most : requested)) {
            announceLater(() -> announce(client, status, requested, cut));
        }
    }

    private void announceLater(Runnable announcement) {
        try {
            thread.execute(announcement);
        } catch (OutOfMemoryError e) {
            // The call itself has succeeded, and the next response announces it.
            log.warn("No thread could be started to announce a pause, which holds in this instance alone.", e);
        }
    }

    private void announce(ClientRule client, int status, Duration requested, boolean cut) {
        Duration length = client.pause().left();
        String answer = "answered " + status + " and requested a pause of " + requested
                + (cut ? ", of which pause-at-most allows " + client.pauseAtMost() : "");
        String problem = ban(client, answer);
        log.warn(
                "The third party of {} {}: its calls pause for {}{}",
                client.property(),
                answer,
                length,
                problem == null ? "" : ", in this instance only, because " + AsyncLog.oneLine(problem));
        try {
            events.publishEvent(ClientPausedEvent.of(client.name(), status, length, problem == null));
        } catch (RuntimeException e) {
            log.error("A listener has failed for the pause of {}.", client.property(), e);
        }
    }

    /** @return why the other instances do not know; {@code null} if they do */
    private @Nullable String ban(ClientRule client, String why) {
        if (live == LiveLimits.NONE) {
            return "there are no live limits";
        }
        try {
            return ban(client.limiter(), LiveKey.of(client.name()), client.pause(), why);
        } catch (RuntimeException e) {
            return "it cannot be stored: " + e.getMessage();
        }
    }

    private @Nullable String ban(String limit, LiveKey key, ClientPause pause, String why) {
        Optional<LiveLimit> current = live.get(limit, key);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (current.isPresent() && !current.get().who().equals(WHO)) {
                return "its key has a live limit by " + current.get().who();
            }
            // Another instance was faster.
            current.ifPresent(ban -> banned(pause, ban));
            if (pause.isAnnounced()) {
                return null;
            }
            Duration left = pause.left();
            ChangeNote note =
                    ChangeNote.of(WHO, why).withExpiry(left.compareTo(SHORTEST_BAN) < 0 ? SHORTEST_BAN : left);
            try {
                live.put(
                        limit,
                        key,
                        LiveSettings.BANNED,
                        note,
                        current.map(LiveLimit::version).orElse(0L));
                return null;
            } catch (LiveConflictException e) {
                current = e.current();
            }
        }
        return "other instances change it at the same time";
    }

    /** It may have been stored long before it is seen here. */
    private void banned(ClientPause pause, LiveLimit ban) {
        pause.banned(
                ban.since(), Duration.between(live.serverTime(), ban.expiresAt().orElse(ban.since())));
    }

    private void changed(LiveChange change) {
        Announced announced = byLimit.get(change.name());
        if (announced == null
                || change.key().filter(key -> live.isSame(announced.key(), key)).isEmpty()) {
            return;
        }
        ClientPause pause = announced.pause();
        LiveLimit before = change.before().orElse(null);
        LiveLimit after = change.after().orElse(null);
        if (after != null && after.who().equals(WHO)) {
            banned(pause, after);
        } else if (after == null
                && before != null
                && before.expiresAt().filter(change.at()::equals).isPresent()) {
            pause.banEnded(before.since());
        } else {
            pause.lift(change.at());
        }
    }

    @Override
    public void reset() {
        byClient.values().forEach(pause -> pause.lift(live.serverTime()));
    }

    @Override
    public void destroy() throws Exception {
        subscription.close();
        thread.shutdown();
    }
}
