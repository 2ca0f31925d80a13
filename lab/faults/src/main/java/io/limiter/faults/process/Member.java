package io.limiter.faults.process;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.LimitWarningEvent;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.SetDecision;
import io.limiter.faults.account.AccountFile;
import io.limiter.faults.account.Answer;
import io.limiter.faults.account.Limiters;
import io.limiter.live.LiveOptions;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A JVM whose threads call limiters until it is stopped, and which records every call. It knows nothing of faults.
 * It says {@code ready} when all threads call, answers each order, and ends when its input does.
 */
final class Member {

    /** Longer than the lease time. */
    private static final long LONG_MILLIS = 3000;

    private final MemberSettings settings;
    private final AccountFile account;
    private final List<RedisRateLimiterFactory> instances = new ArrayList<>();
    private volatile boolean ended;

    private Member(MemberSettings settings) throws IOException {
        this.settings = settings;
        this.account = AccountFile.create(settings.account());
        for (int i = 0; i < settings.instances(); i++) {
            RedisRateLimiterFactory.Builder instance =
                    RedisRateLimiterFactory.builder(Clients.open(settings)).listener(new Warnings());
            if (settings.instances() > 1) {
                // They take turns on the processors of one machine.
                instance.decisionTimeout(Duration.ofSeconds(1));
            }
            instances.add(instance.build());
        }
        if (settings.live()) {
            instances.forEach(instance -> RedisLiveLimits.start(instance, LiveOptions.DEFAULT));
        }
    }

    public static void main(String[] arguments) throws Exception {
        new Member(MemberSettings.parse(arguments)).run();
        // Not waiting for what a client leaves running.
        System.exit(0);
    }

    private void run() throws IOException, InterruptedException {
        if (settings.logMillis() > 0) {
            slowLog(settings.logMillis());
        }
        warmUp();
        List<Thread> callers = startCallers();
        start("control", this::control);
        if (settings.interrupts()) {
            start("interrupts", () -> interrupt(callers));
        }
        Readiness.ready();
        System.out.println("ready");
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                if (order.equals("close")) {
                    close();
                    System.out.println("closed");
                } else if (order.equals("instances")) {
                    System.out.println(instances.get(0).instances());
                } else if (order.equals("measure")) {
                    System.out.println(measured());
                } else if (order.equals("stop")) {
                    stop(callers);
                    System.out.println("stopped");
                }
            }
        }
    }

    /** Warms the instances of a fleet up until Redis has answered each, however long this machine takes to start so many. */
    private void warmUp() {
        boolean again = true;
        while (again) {
            List<CompletableFuture<Boolean>> answers =
                    instances.stream().map(RedisRateLimiterFactory::warmUp).toList();
            long answered = answers.stream().filter(CompletableFuture::join).count();
            again = instances.size() > 1 && answered < instances.size();
        }
    }

    private List<Thread> startCallers() {
        List<Thread> callers = new ArrayList<>();
        int limiters = settings.limiters().size();
        for (int i = 0; i < settings.threads(); i++) {
            Limiters limiter = settings.limiters().get(i % limiters);
            LimiterFactory instance = instances.get(i / limiters % instances.size());
            Random random = new Random(settings.seed() * 31 + i);
            // The first caller of leases renews them, the others do not hold any for that long.
            boolean holdsLong = i < limiters;
            int number = i;
            callers.add(
                    start("caller-" + i, () -> call(instance, limiter, limiter.second(), random, holdsLong, number)));
        }
        return callers;
    }

    private void call(
            LimiterFactory instance,
            Limiters limiter,
            @Nullable Limiters second,
            Random random,
            boolean holdsLong,
            int number) {
        if (second != null) {
            callSet(instance, limiter, second);
        } else if (limiter == Limiters.LEASED) {
            hold(instance, random, holdsLong);
        } else {
            call(limiter, limiter(instance, limiter), random, number);
        }
    }

    private static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static Limiter limiter(LimiterFactory instance, Limiters which) {
        String name = which.name().toLowerCase(Locale.ROOT);
        LimiterOptions options = LimiterOptions.NONE.withFailurePolicy(which.policy());
        if (which.isPrefetched()) {
            options = options.withPrefetch(Limiters.PREFETCH);
        } else if (which == Limiters.BANNING) {
            options = options.withBan(Limiters.BAN);
        } else if (which == Limiters.LEAVING) {
            options = options.withLeave(Limiters.LEAVE);
        } else if (which == Limiters.WARNED) {
            options = options.withWarnAt(Limiters.WARN_AT);
        }
        return instance.with(options).build(name, which.limit());
    }

    private void call(Limiters which, Limiter limiter, Random random, int number) {
        int next = firstKey(number);
        while (!ended) {
            int key = which == Limiters.ONCE ? next++ : key(which, random);
            if (which == Limiters.UP_TO) {
                takeUpTo(which, limiter.on(which.key(key)));
                pause(settings.pauseMillis());
                continue;
            }
            int permits = which.isCounted() || which.isRefunded() || which == Limiters.ONCE ? 1 + random.nextInt(3) : 1;
            Limiter permitsOfKey = limiter.on(which.key(key));
            boolean granted = recorded(
                    which,
                    key,
                    permits,
                    () -> which == Limiters.WAITED
                            ? permitsOfKey.decide(permits, Limiters.LONGEST_WAIT)
                            : permitsOfKey.decide(permits));
            if (granted && which.isRefunded() && random.nextBoolean()) {
                recorded(which, key, -permits, () -> permitsOfKey.refund(permits));
            }
            if (granted && which == Limiters.SETTLED) {
                boolean more = random.nextBoolean();
                recorded(which, key, more ? 1 : -1, () -> more ? permitsOfKey.charge(1) : permitsOfKey.refund(1));
            }
            pause(settings.pauseMillis());
        }
    }

    /** Under the policy {@code throw}, Redis has decided whatever is returned. */
    private void takeUpTo(Limiters which, Limiter permitsOfKey) {
        long record = account.begin(which, 0, Limiters.MOST_AT_ONCE);
        try {
            int taken = (int) permitsOfKey.tryAcquireUpTo(Limiters.MOST_AT_ONCE);
            if (taken > 0) {
                account.took(record, taken);
            }
            account.end(record, Answer.REDIS, taken > 0);
        } catch (RuntimeException e) {
            account.end(record, answer(e), false);
        }
    }

    private boolean recorded(Limiters which, int key, int permits, Supplier<Decision> call) {
        long record = account.begin(which, key, permits);
        try {
            Decision decision = call.get();
            account.end(record, Answer.of(decision.source()), decision.isGranted());
            return decision.isGranted();
        } catch (RuntimeException e) {
            account.end(record, answer(e), false);
            return false;
        }
    }

    private static Answer answer(RuntimeException thrown) {
        if (thrown instanceof LimiterBackendException failure) {
            return Answer.of(failure);
        }
        LoggerFactory.getLogger(Member.class).error("a call has failed", thrown);
        return Answer.ERROR;
    }

    /** Two permits of the first for one of the second. An entry for each of them. */
    private void callSet(LimiterFactory instance, Limiters first, Limiters second) {
        LimitSet set = LimitSet.of(limiter(instance, first).on(first.key(0)), 2)
                .and(limiter(instance, second).on(second.key(0)));
        while (!ended) {
            long ofFirst = account.begin(first, 0, 2);
            long ofSecond = account.begin(second, 0, 1);
            try {
                SetDecision decision = set.decide();
                boolean granted = decision.isGranted();
                account.end(ofFirst, Answer.of(source(decision, 0)), granted);
                account.end(ofSecond, Answer.of(source(decision, 1)), granted);
            } catch (RuntimeException e) {
                account.end(ofFirst, answer(e), false);
                account.end(ofSecond, answer(e), false);
            }
            pause(settings.pauseMillis());
        }
    }

    /** A rejection is the set's. */
    private static Decision.Source source(SetDecision decision, int part) {
        return (decision.isGranted() ? decision.parts().get(part).decision() : decision.decision()).source();
    }

    /** A million for each caller; the seeds of the JVMs of an experiment follow each other. */
    private int firstKey(int caller) {
        return (int) Math.floorMod(settings.seed(), 32L) << 26 | (caller & 63) << 20;
    }

    /** Of many, a hundredth of the calls has the first. */
    private static int key(Limiters which, Random random) {
        return which == Limiters.MANY
                ? (int) (which.keys() * Math.pow(random.nextDouble(), 3))
                : random.nextInt(which.keys());
    }

    private void hold(LimiterFactory instance, Random random, boolean holdsLong) {
        ConcurrencyLimiter limiter = instance.with(LimiterOptions.NONE.withFailurePolicy(Limiters.LEASED.policy()))
                .build("leased", Limiters.LEASES)
                .on(Limiters.LEASED.key(0));
        while (!ended) {
            Optional<Lease> granted;
            try {
                granted = limiter.tryAcquire(1, Duration.ofMillis(50));
            } catch (RuntimeException e) {
                // An interrupt while it waits, or the factory was closed.
                granted = Optional.empty();
            }
            granted.ifPresent(lease -> hold(lease, holdsLong ? LONG_MILLIS : 50 + random.nextInt(250)));
            pause(settings.pauseMillis());
        }
    }

    private void hold(Lease lease, long millis) {
        long sinceMicros = AccountFile.nowMicros() + 1;
        long record = account.write(sinceMicros, sinceMicros, Limiters.LEASED, 0, 1, Answer.LEASE, true);
        try (lease) {
            long now = sinceMicros;
            while (now < sinceMicros + millis * 1000) {
                pause(5);
                now = AccountFile.nowMicros();
                if (!lease.isHeld()) {
                    account.lost(record);
                    return;
                }
                account.extend(record, Math.max(now, sinceMicros));
            }
        }
    }

    /** An interrupt is the harness's, and has done its work once it reached a call. */
    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        boolean unused = Thread.interrupted();
    }

    /** How late this machine and JVM let a thread go on that has nothing to do with limiters. */
    private void control() {
        while (!ended) {
            // As often as a caller, or a long run would be an account of this thread.
            long millis = 1 + settings.pauseMillis() / 4;
            long dueMicros = AccountFile.nowMicros() + millis * 1000;
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
            long nowMicros = Math.max(dueMicros, AccountFile.nowMicros());
            account.write(dueMicros, nowMicros, Limiters.ROOMY, 0, 0, Answer.CONTROL, false);
        }
    }

    private void interrupt(List<Thread> callers) {
        Random random = new Random(settings.seed());
        while (!ended) {
            callers.get(random.nextInt(callers.size())).interrupt();
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(2000)));
        }
    }

    /** Bytes of the heap after a collection, and threads. */
    private static String measured() {
        ManagementFactory.getMemoryMXBean().gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() + " "
                + ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private void close() {
        long callMicros = AccountFile.nowMicros();
        instances.forEach(RedisRateLimiterFactory::close);
        if (ended) {
            return;
        }
        account.write(callMicros, AccountFile.nowMicros() + 1, Limiters.ROOMY, 0, 0, Answer.CLOSING, false);
    }

    private void stop(List<Thread> callers) throws InterruptedException {
        ended = true;
        // One that never returns must not keep the others from being judged.
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        for (Thread caller : callers) {
            caller.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime())));
        }
    }

    /** Records warnings. */
    private final class Warnings implements LimiterListener {

        @Override
        public void onLimitWarning(LimitWarningEvent event) {
            Instant end = event.periodEnd();
            long endMicros = end.getEpochSecond() * 1_000_000 + end.getNano() / 1000;
            account.write(endMicros, endMicros, Limiters.WARNED, 0, 0, Answer.WARNING, false);
        }
    }

    private static void slowLog(long millis) {
        AppenderBase<ILoggingEvent> slow = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
            }
        };
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        slow.setContext(context);
        slow.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(slow);
    }
}
