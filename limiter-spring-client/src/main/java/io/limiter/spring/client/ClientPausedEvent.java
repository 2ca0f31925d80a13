package io.limiter.spring.client;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a client of {@code limiter.clients} pause, because a response of its third party, such as a 429, requested it. A separate
 * thread publishes the event in the instance that got the response, once when the pause begins and once when it is prolonged.
 */
public final class ClientPausedEvent {

    private final String client;
    private final int status;
    private final Duration length;
    private final boolean inFleet;

    private ClientPausedEvent(String client, int status, Duration length, boolean inFleet) {
        this.client = Objects.requireNonNull(client, "client");
        this.status = status;
        this.length = Objects.requireNonNull(length, "length");
        this.inFleet = inFleet;
    }

    /** Creates one with these values, which applications need only in tests. */
    public static ClientPausedEvent of(String client, int status, Duration length, boolean inFleet) {
        return new ClientPausedEvent(client, status, length, inFleet);
    }

    /** The name of the client in {@code limiter.clients}. */
    public String client() {
        return client;
    }

    /** The status of the response. */
    public int status() {
        return status;
    }

    /** The length of the pause from now on. */
    public Duration length() {
        return length;
    }

    /** Whether all instances pause. Otherwise, only this one does. */
    public boolean inFleet() {
        return inFleet;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ClientPausedEvent that
                && client.equals(that.client)
                && status == that.status
                && length.equals(that.length)
                && inFleet == that.inFleet;
    }

    @Override
    public int hashCode() {
        return Objects.hash(client, status, length, inFleet);
    }

    @Override
    public String toString() {
        return "ClientPausedEvent[client=" + client + ", status=" + status + ", length=" + length + ", inFleet="
                + inFleet + "]";
    }
}
