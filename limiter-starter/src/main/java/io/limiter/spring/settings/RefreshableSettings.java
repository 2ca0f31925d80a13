package io.limiter.spring.settings;

/** Settings that are read again when Spring Cloud has changed the environment. A bean. */
public interface RefreshableSettings {

    /** What their names start with, such as {@code limiter.http}. */
    String property();

    /**
     * Reads them again.
     *
     * @return whether they have changed
     * @throws RuntimeException if a setting is unknown or invalid, or cannot change; all stay as they were then
     */
    boolean refresh();
}
