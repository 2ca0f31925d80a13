package io.limiter.spring.web;

import io.limiter.LimiterBackendException;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What writers of {@link Answers} to servlet responses and exchanges have in common. */
public abstract class AnswerWriter {

    private static final Logger log = LoggerFactory.getLogger(AnswerWriter.class);

    private final Answers answers;

    protected AnswerWriter(Answers answers) {
        this.answers = answers;
    }

    /** Whether {@link #answer} may read messages of the application from a file. */
    protected final boolean mayRead() {
        return answers.mayRead();
    }

    /**
     * The answer to a rejected request.
     *
     * @param rejection see {@link Answers#of}
     * @param decisions {@code null} if there was none
     * @param path that the caller asked for
     */
    protected final Answer answer(
            RuntimeException rejection, @Nullable RequestDecisions decisions, Locale locale, String path) {
        if (rejection instanceof LimiterBackendException) {
            log.warn("Rejected a request because its limit could not be decided: {}", rejection.getMessage());
        } else if (rejection instanceof MissingLimitKeyException) {
            log.debug("Rejected a request because it has no key: {}", rejection.getMessage());
        }
        return answers.of(rejection, decisions == null ? new RequestDecisions() : decisions, locale, path);
    }
}
