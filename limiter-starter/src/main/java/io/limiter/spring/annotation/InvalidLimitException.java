package io.limiter.spring.annotation;

/**
 * An annotation declares an invalid limit. Thrown when the bean is created, which for most beans is when the application
 * starts.
 */
public final class InvalidLimitException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /**
     * @param where the annotation and the method it limits
     * @param problem what is wrong with it, and what to do
     */
    public InvalidLimitException(String where, String problem) {
        super(where + ": " + problem);
    }

    /** With the exception of the failed check. */
    public InvalidLimitException(String where, String problem, Throwable cause) {
        super(where + ": " + problem, cause);
    }
}
