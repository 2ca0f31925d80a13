package io.limiter.benchmark.scale;

import java.util.PriorityQueue;

/** Virtual time: runs events in the order of their time, and those of one time in the order in which they were added. */
final class Timeline {

    private record Event(long atNanos, long order, Runnable action) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nowNanos;
    private long added;

    long nowNanos() {
        return nowNanos;
    }

    void at(long nanos, Runnable action) {
        events.add(new Event(Math.max(nanos, nowNanos), added++, action));
    }

    /** Runs all events up to a moment. */
    void run(long untilNanos) {
        for (Event next = events.peek(); next != null && next.atNanos <= untilNanos; next = events.peek()) {
            events.remove();
            nowNanos = next.atNanos;
            next.action.run();
        }
        nowNanos = untilNanos;
    }
}
