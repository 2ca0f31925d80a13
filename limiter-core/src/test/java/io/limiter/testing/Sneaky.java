package io.limiter.testing;

/** Throws checked exceptions where none is declared, as code in Kotlin or Scala may. */
public final class Sneaky {

    private Sneaky() {}

    /** Throws the exception; a caller can write {@code throw thrown(...)}. */
    public static RuntimeException thrown(Throwable exception) {
        return Sneaky.<RuntimeException>generic(exception);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> RuntimeException generic(Throwable exception) throws E {
        throw (E) exception;
    }
}
