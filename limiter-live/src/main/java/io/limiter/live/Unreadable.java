package io.limiter.live;

/**
 * Something in Redis that this instance cannot read, and skips: a live limit, a change in the history, or a report.
 *
 * @param name of the live limit, or of the instance that reports; empty for a change that does not show it
 * @param version to expect in a put or remove that replaces the live limit; of a change, where it stands in the history; 0 for a
 *     report
 * @param problem why it cannot be read, and what to do
 */
public record Unreadable(String name, long version, String problem) {}
