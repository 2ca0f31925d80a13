package io.limiter.benchmark.measure;

import io.limiter.benchmark.subject.Subject;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** As many requests open as there are callers; each completion starts the next one, on the thread that completes it. */
final class AsyncDriver extends Driver {

    /**
     * After how many requests a caller goes to the end of the driver's own queue. So callers whose answers are there at
     * once do not keep the others waiting for ever, and a subject that makes its next call before it returns from the
     * last one, as Bucket4j's batches do, does not run out of stack.
     */
    private static final int MAX_IN_A_ROW = 64;

    private final Subject.Async subject;
    private final BlockingQueue<Turn> turns = new LinkedBlockingQueue<>();

    private AsyncDriver(Subject.Async subject, Callers callers) {
        super(callers);
        this.subject = subject;
    }

    static Driver start(Subject.Async subject, Callers callers) {
        AsyncDriver driver = new AsyncDriver(subject, callers);
        callers.all().forEach(caller -> driver.turns.add(driver.new Turn(caller)));
        PLATFORM.newThread(driver::takeTurns).start();
        return driver;
    }

    private void takeTurns() {
        try {
            while (running.getCount() > 0) {
                Turn turn = turns.poll(10, TimeUnit.MILLISECONDS);
                if (turn != null) {
                    turn.begin();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The requests of one caller. */
    private final class Turn implements BiConsumer<@Nullable Boolean, @Nullable Throwable> {

        private static final int OPENING = 0;
        private static final int ANSWERED = 1;
        private static final int LEFT_OPEN = 2;

        private final Callers.Caller caller;
        private final AtomicInteger state = new AtomicInteger();
        private long startNanos;
        private int inARow;

        Turn(Callers.Caller caller) {
            this.caller = caller;
        }

        void begin() {
            inARow = 0;
            request();
        }

        /** Makes requests until one is left open, for its completion to go on; a loop, as recursion would have no end. */
        private void request() {
            while (inARow++ < MAX_IN_A_ROW) {
                if (caller.stopped()) {
                    running.countDown();
                    return;
                }
                state.set(OPENING);
                int id = caller.nextId();
                startNanos = caller.startNanos();
                start(id);
                if (state.compareAndSet(OPENING, LEFT_OPEN)) {
                    return;
                }
            }
            turns.add(this);
        }

        @SuppressWarnings("FutureReturnValueIgnored") // accept() is all that becomes of it.
        private void start(int id) {
            try {
                subject.tryAcquireAsync(id).whenComplete(this);
            } catch (RuntimeException e) {
                accept(null, e);
            }
        }

        @Override
        public void accept(@Nullable Boolean granted, @Nullable Throwable failure) {
            if (granted == null) {
                caller.failed(failure == null ? new NullPointerException("completed with null") : failure);
            } else {
                caller.answered(granted, startNanos);
            }
            if (!state.compareAndSet(OPENING, ANSWERED)) {
                request();
            }
        }
    }
}
