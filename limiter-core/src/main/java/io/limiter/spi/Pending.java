package io.limiter.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;

/**
 * Something that was asked for and is on its way. Either it is sent or it is withdrawn, and never both: what was withdrawn
 * is known to have done nothing.
 *
 * @param <T> what it is answered
 */
public class Pending<T> extends CompletableFuture<T> {

    private static final int WAITING = 0;
    private static final int SENT = 1;
    private static final int WITHDRAWN = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Pending.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Written by STATE.
    private volatile int state;

    /**
     * To be called just before it is sent.
     *
     * @return whether it may be sent
     */
    public final boolean send() {
        return STATE.compareAndSet(this, WAITING, SENT) && !isDone();
    }

    /** To be called when it is known that what was sent did nothing, before it is sent once more. */
    public final void waitAgain() {
        STATE.compareAndSet(this, SENT, WAITING);
    }

    /**
     * Sees to it that it is never sent.
     *
     * @return whether it never is
     */
    public final boolean withdraw() {
        return STATE.compareAndSet(this, WAITING, WITHDRAWN) || state == WITHDRAWN;
    }

    /**
     * Withdraws what was not sent yet. What was sent, or cannot be withdrawn, is decided all the same, so that whoever asked
     * for it can give back what it takes.
     */
    public static void withdraw(CompletableFuture<?> asked) {
        if (asked instanceof Pending<?> pending && pending.withdraw()) {
            pending.cancel(false);
        }
    }
}
