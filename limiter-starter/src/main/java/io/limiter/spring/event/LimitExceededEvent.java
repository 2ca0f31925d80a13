package io.limiter.spring.event;

import io.limiter.algorithm.Decision;
import org.jspecify.annotations.Nullable;

/**
 * Permits were refused; not by a dry run, which refuses nobody. Published by a thread of its own, so a slow listener harms no decision; if listeners are so slow that
 * more than a thousand events wait, further ones are dropped, which is logged.
 *
 * @param limiter the limiter's name
 * @param key whose permits; {@code null} for the limiter's own
 * @param decision the refusal
 */
public record LimitExceededEvent(String limiter, @Nullable String key, Decision decision) {}
