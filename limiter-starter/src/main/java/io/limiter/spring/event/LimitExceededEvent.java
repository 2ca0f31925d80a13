package io.limiter.spring.event;

import io.limiter.Decision;
import java.util.List;

/**
 * A limit rejected a request, not in shadow mode. A separate thread publishes the event, so a slow listener delays no decision.
 * If more than a thousand events wait, further events are dropped and a warning is logged.
 *
 * @param limiter the limiter's name
 * @param keys those of the {@linkplain io.limiter.Limiter#keys() key path}; none for the limiter's own permits
 * @param decision the rejection
 */
public record LimitExceededEvent(String limiter, List<String> keys, Decision decision) {}
