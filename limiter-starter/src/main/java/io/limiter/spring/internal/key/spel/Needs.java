package io.limiter.spring.internal.key.spel;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The sources that keys and expressions read of the request of a call. Immutable. */
public final class Needs {

    public static final Needs NONE = new Needs(EnumSet.noneOf(KeySource.class));

    private final Set<KeySource> sources;

    private Needs(Set<KeySource> sources) {
        this.sources = sources;
    }

    static Needs of(KeySource source) {
        return new Needs(EnumSet.of(source));
    }

    static Needs of(Collection<KeySource.Read> reads) {
        Set<KeySource> sources = EnumSet.noneOf(KeySource.class);
        reads.forEach(read -> sources.add(read.source()));
        return new Needs(sources);
    }

    public Needs and(Needs other) {
        Set<KeySource> all = EnumSet.copyOf(sources);
        all.addAll(other.sources);
        return new Needs(all);
    }

    /** These sources and the user. */
    public Needs andUser() {
        return and(of(KeySource.USER));
    }

    /** These sources and the parameters of a form. */
    public Needs andForm() {
        return and(of(KeySource.PARAM));
    }

    /** Whether nothing is read. */
    public boolean isEmpty() {
        return sources.isEmpty();
    }

    /** Whether the user must be known before they are read. */
    public boolean user() {
        return has(KeySource.From.USER);
    }

    /** Whether the form of the request must be known before they are read. */
    public boolean form() {
        return has(KeySource.From.FORM);
    }

    /**
     * One of these sources, by its function, that callers can choose, because it is neither the user nor a claim; empty if there is none.
     */
    public Optional<String> chosenByCallers() {
        return sources.stream()
                .filter(source -> source.from() != KeySource.From.USER)
                .map(source -> source.function() + (source.isNamed() ? "(...)" : "()"))
                .findFirst();
    }

    private boolean has(KeySource.From from) {
        return sources.stream().anyMatch(source -> source.from() == from);
    }

    /**
     * Checks that the application has the beans that find these sources for limited methods.
     *
     * @param type that reads the source; {@link LimitType#CUSTOM} if an expression does
     * @throws IllegalArgumentException if it has none
     */
    public void checkAvailable(CallerFacts caller, LimitType type) {
        boolean isOfType = type == LimitType.IP || type == LimitType.USER;
        for (KeySource source : sources) {
            String subject = isOfType ? "limitType " + type : source.function() + "()";
            String remedy = isOfType ? "choose another limitType" : "use the arguments of the method";
            switch (source.from()) {
                case ADDRESS ->
                    check(
                            caller.hasAddress(),
                            subject,
                            "a web application",
                            "define a bean of type " + ClientAddress.class.getName() + ", or " + remedy);
                case USER ->
                    check(
                            caller.hasUser(),
                            subject,
                            "Spring Security or a web application",
                            "define a bean of type " + CurrentUser.class.getName() + ", or " + remedy);
                case REQUEST, FORM -> check(caller.hasRequest(), subject, "a web application", remedy);
            }
        }
    }

    private static void check(boolean available, String subject, String needed, String remedy) {
        if (!available) {
            throw new IllegalArgumentException(subject + " needs " + needed + ", and there is none: " + remedy);
        }
    }
}
