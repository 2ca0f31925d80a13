package io.limiter.spring.client;

import java.time.Duration;

/**
 * The calls of a client of {@code limiter.clients} pause, because a response of its third party, such as a 429, requested it. A separate
 * thread publishes the event in the instance that got the response, once when the pause begins and once when it is prolonged.
 *
 * @param client its name in {@code limiter.clients}
 * @param status of the response
 * @param length of the pause from now on
 * @param inFleet whether all instances pause; otherwise only this one
 */
public record ClientPausedEvent(String client, int status, Duration length, boolean inFleet) {}
