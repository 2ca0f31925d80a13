package io.limiter.live;

import java.io.Serial;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A live limit was not changed, because it does not have the expected version. Somebody else has changed it in between. */
public class LiveConflictException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient @Nullable LiveLimit current;

    /**
     * @param limit the name, or a name and a key
     * @param current the live limit that it has
     */
    public LiveConflictException(String limit, long expectedVersion, Optional<LiveLimit> current) {
        super("the live limit of '" + limit + "' was not changed: "
                + (expectedVersion == 0 ? "none was expected" : "version " + expectedVersion + " was expected")
                + ", but "
                + current.map(found -> "it has version " + found.version()
                                + (found.who().isEmpty() ? ", which cannot be read" : " by " + found.who()))
                        .orElse("there is none")
                + "; read it again and repeat the change with that version");
        this.current = current.orElse(null);
    }

    /** The live limit that the name has. */
    public Optional<LiveLimit> current() {
        return Optional.ofNullable(current);
    }
}
