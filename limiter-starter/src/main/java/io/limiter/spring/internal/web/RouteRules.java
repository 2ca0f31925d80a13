package io.limiter.spring.internal.web;

/** The rules of {@code limiter.http} without a path, which routes of a gateway name. A bean. Safe for use by many threads. */
public interface RouteRules {

    /**
     * The limits of a rule as they are now.
     *
     * @throws io.limiter.spring.settings.InvalidSettingException if there is no rule of this name, or if it has a path, so that it
     *     applies without a route
     */
    HttpRules named(String rule);

    /** Routes find the key of a rule themselves, so nothing can be said of it apart from their requests. */
    void keyedByRoutes(String rule);

    /** Whether any of the rules must know the user. */
    boolean usesUser();

    /** Whether any of the rules reads the response to a request. */
    boolean readsResponses();

    /** A bean that applies rules without a path. Without such a bean, a rule needs a path. */
    interface Filter {}
}
