package io.limiter.spring.key.spel;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.CallerFacts;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/** The facts of a request that keys and expressions read, by the names of their functions. */
public record Needs(Set<String> facts) {

    public static final Needs NONE = new Needs(Set.of());

    static Needs of(Collection<Names.Read> reads) {
        Set<String> facts = new TreeSet<>();
        reads.forEach(read -> facts.add(read.function()));
        return new Needs(facts);
    }

    public Needs and(Needs other) {
        Set<String> all = new TreeSet<>(facts);
        all.addAll(other.facts);
        return new Needs(all);
    }

    /** These facts and the user. */
    public Needs andUser() {
        return and(new Needs(Set.of(Names.USER)));
    }

    /** These facts and the parameters of a form. */
    public Needs andForm() {
        return and(new Needs(Set.of(Names.PARAM)));
    }

    /** Whether the user must be known before they are read. */
    public boolean user() {
        return facts.contains(Names.USER) || facts.contains(Names.CLAIM);
    }

    /** Whether the form of the request must be known before they are read. */
    public boolean form() {
        return facts.contains(Names.PARAM);
    }

    /**
     * Checks that the application has the beans that find these facts for limited methods.
     *
     * @param type that reads the fact; {@link LimitType#CUSTOM} if an expression does
     * @throws IllegalArgumentException if it has none
     */
    public void checkAvailable(CallerFacts caller, LimitType type) {
        boolean isOfType = type == LimitType.IP || type == LimitType.USER;
        for (String fact : facts) {
            String subject = isOfType ? "limitType " + type : fact + "()";
            String remedy = isOfType ? "choose another limitType" : "use the arguments of the method";
            switch (fact) {
                case Names.IP ->
                    check(
                            caller.hasAddress(),
                            subject,
                            "a web application",
                            "define a bean of type " + ClientAddress.class.getName() + ", or " + remedy);
                case Names.USER, Names.CLAIM ->
                    check(
                            caller.hasUser(),
                            subject,
                            "Spring Security or a web application",
                            "define a bean of type " + CurrentUser.class.getName() + ", or " + remedy);
                default -> check(caller.hasRequest(), subject, "a web application", remedy);
            }
        }
    }

    private static void check(boolean available, String subject, String needed, String remedy) {
        if (!available) {
            throw new IllegalArgumentException(subject + " needs " + needed + ", and there is none: " + remedy);
        }
    }
}
