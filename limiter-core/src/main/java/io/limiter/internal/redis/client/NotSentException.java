package io.limiter.internal.redis.client;

/** The client threw before it sent anything, so nothing was decided. */
final class NotSentException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final RuntimeException thrown;

    NotSentException(RuntimeException thrown) {
        super(thrown);
        this.thrown = thrown;
    }

    RuntimeException thrown() {
        return thrown;
    }
}
