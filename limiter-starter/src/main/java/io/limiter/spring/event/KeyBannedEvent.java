package io.limiter.spring.event;

import java.time.Duration;
import java.util.List;

/**
 * A key is banned, because a limit has rejected it too often; see {@link io.limiter.LimiterListener#keyBanned}. A separate thread
 * publishes the event, in one instance. If more than a thousand events wait, further ones are dropped and a warning is logged.
 *
 * @param limiter the limiter's name
 * @param keys those of the {@linkplain io.limiter.Limiter#keys() key path}
 * @param length how long the ban lasts
 */
public record KeyBannedEvent(String limiter, List<String> keys, Duration length) {}
