package io.limiter.console;

import java.io.Serial;

/** The console cannot be served as it is configured. */
final class ConsoleStartException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String remedy;

    ConsoleStartException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
