package io.limiter.benchmark.outage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Threads that call one limit each, with a pause between two calls, until they are ended. */
public final class Load {

    private final List<Thread> threads = new ArrayList<>();
    private final List<Calls> all = new ArrayList<>();
    private final int mostCalls;
    private volatile boolean ended;

    /** @param mostCalls how many calls a thread makes at most */
    public Load(int mostCalls) {
        this.mostCalls = mostCalls;
    }

    /**
     * Starts threads.
     *
     * @param deciders what each of them calls
     * @param pause from the end of a call to the next one
     * @return their calls
     */
    public List<Calls> start(int count, IntFunction<Decider> deciders, Duration pause) {
        List<Calls> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Decider decider = deciders.apply(i);
            Calls calls = new Calls(mostCalls);
            Thread thread = new Thread(() -> decideUntilEnded(decider, calls, pause), "caller-" + threads.size());
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
            started.add(calls);
        }
        all.addAll(started);
        return started;
    }

    private void decideUntilEnded(Decider decider, Calls calls, Duration pause) {
        while (!ended) {
            calls.begin(System.nanoTime());
            Answer answer;
            try {
                answer = decider.decide();
            } catch (RuntimeException e) {
                answer = Answer.FAILED;
            }
            calls.end(System.nanoTime(), answer);
            try {
                TimeUnit.NANOSECONDS.sleep(pause.toNanos());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Ends all threads. Calls that have not returned after a while have no answer, and their threads are interrupted. */
    public void end(Duration patience) throws InterruptedException {
        ended = true;
        long deadline = System.nanoTime() + patience.toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
        long now = System.nanoTime();
        all.forEach(calls -> calls.close(now));
        threads.forEach(Thread::interrupt);
    }
}
