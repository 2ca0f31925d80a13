package io.limiter.internal.redis.client;

/** There was no connection, so nothing was sent. */
final class NotConnectedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotConnectedException(RuntimeException cause) {
        super(cause.getMessage(), cause);
    }
}
