package io.limiter.spring.internal.web.usage;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What reads the response to one request, and what waits until it has ended. Safe for use by many threads. */
public final class ResponseReading {

    private final List<Waiting> waiting = new ArrayList<>(1);
    private final List<UsageReader> ofBody = new ArrayList<>(1);

    /** 0 until it is known. */
    private int status;

    private boolean ended;

    private record Waiting(List<UsageReader> readers, IntConsumer action) {

        boolean isFor(UsageReader other) {
            return readers.stream().anyMatch(each -> each.isForSameCaller(other));
        }
    }

    /**
     * Has the readers read the response. If a rule is applied to a request once more, because a gateway sends it again, nothing more is
     * read for the time before: the response to that is not sent.
     *
     * @param action called with the status of the response once its body has ended; with 0 if it is unknown
     */
    public void add(List<UsageReader> readers, IntConsumer action) {
        List<Waiting> repeated;
        synchronized (this) {
            repeated = waiting.stream()
                    .filter(each -> readers.stream().anyMatch(each::isFor))
                    .toList();
            waiting.removeAll(repeated);
            repeated.forEach(each -> ofBody.removeAll(each.readers()));
            waiting.add(new Waiting(readers, action));
            readers.stream().filter(UsageReader::readsBody).forEach(ofBody::add);
        }
        repeated.forEach(each -> each.action().accept(0));
    }

    /** Whether any reader needs a body that is not compressed. */
    public synchronized boolean readsBody() {
        return !ofBody.isEmpty();
    }

    /** What the body is to be given to piece by piece; each reader once. */
    public synchronized List<UsageReader> takeReaders() {
        List<UsageReader> taken = List.copyOf(ofBody);
        ofBody.clear();
        return taken;
    }

    /**
     * The status and the headers of the response are known.
     *
     * @param headers finds the value of a header; {@code null} if there is none
     */
    public void responded(int newStatus, UnaryOperator<@Nullable String> headers) {
        boolean isOver;
        synchronized (this) {
            status = newStatus;
            waiting.forEach(each -> each.readers().forEach(reader -> reader.headers(headers)));
            isOver = ended;
        }
        if (isOver) {
            end(true);
        }
    }

    /** The response ends before it is whole. */
    public synchronized void breakOff() {
        waiting.forEach(each -> each.readers().forEach(UsageReader::breakOff));
    }

    /** Nothing of the response counts, because it is that to a rejection. */
    public synchronized void drop() {
        waiting.clear();
        ofBody.clear();
    }

    /**
     * The body has ended, or breaks off.
     *
     * @param isLast whether no response follows, because the caller has left or the response was sent
     */
    public void end(boolean isLast) {
        List<Waiting> over = List.of();
        int known;
        synchronized (this) {
            ended = true;
            known = status;
            if (known != 0 || isLast) {
                over = List.copyOf(waiting);
                waiting.clear();
            }
        }
        over.forEach(each -> each.action().accept(known));
    }
}
