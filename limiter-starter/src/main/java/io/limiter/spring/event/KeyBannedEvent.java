package io.limiter.spring.event;

import java.time.Duration;

/**
 * A key is banned, because a limit has rejected it too often; see {@link io.limiter.LimiterListener#keyBanned}. A separate thread
 * publishes the event, in one instance. If more than a thousand events wait, further ones are dropped and a warning is logged.
 *
 * @param limiter the limiter's name
 * @param length how long the ban lasts
 */
public record KeyBannedEvent(String limiter, String key, Duration length) {}
