package io.limiter.spring.key.spel;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.CallKey;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.LazyLookup;
import io.limiter.spring.key.MissingLimitKeyException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** Creates the {@link CallKey} of a limit from its {@link LimitType}. */
public final class CallKeys {

    // Looking a bean up takes over a microsecond, twenty times as long as the rest of a key.
    private final Supplier<@Nullable ClientAddress> clientAddress;
    private final Supplier<@Nullable CurrentUser> currentUser;

    /** The suppliers are called when a limit first needs them, until they return a bean. */
    public CallKeys(Supplier<@Nullable ClientAddress> clientAddress, Supplier<@Nullable CurrentUser> currentUser) {
        this.clientAddress = new LazyLookup<>(clientAddress);
        this.currentUser = new LazyLookup<>(currentUser);
    }

    /**
     * Parses and checks the path of keys of an annotation.
     *
     * @param path empty if the annotation has no key
     * @param annotated the method that declares the arguments
     * @return empty if all callers share the permits
     * @throws IllegalArgumentException if a key is missing, has no effect or cannot work
     */
    public List<CallKey> of(LimitType type, List<String> path, Method annotated) {
        if (type == LimitType.CUSTOM) {
            return (path.isEmpty() ? List.of("") : path)
                    .stream().map(key -> custom(key, annotated)).toList();
        }
        if (!path.isEmpty()) {
            throw new IllegalArgumentException("key '" + String.join("', '", path) + "' has no effect with limitType "
                    + type + ": leave the limitType out, or leave the key out");
        }
        return switch (type) {
            case IP -> List.of(arguments -> ip());
            case USER -> List.of(arguments -> userOrIp());
            default -> List.of();
        };
    }

    /**
     * Parses and checks a text of an annotation that is like a key, such as its plan.
     *
     * @param annotated the method that declares the arguments
     * @param otherRemedy if the text is the same for all calls
     * @return {@code null} if the text is empty
     * @throws IllegalArgumentException if the text cannot work
     */
    public static @Nullable CallKey optional(String attribute, String text, Method annotated, String otherRemedy) {
        return text.isEmpty() ? null : template(attribute, text, annotated, otherRemedy);
    }

    /**
     * A key of type {@link LimitType#CUSTOM}.
     *
     * @throws IllegalArgumentException if the key is blank, cannot be parsed, is the same for all calls, cannot work or is
     *     forbidden
     */
    static CallKey custom(String key, Method annotated) {
        if (key.isBlank()) {
            throw new IllegalArgumentException(
                    "limitType CUSTOM needs a key, such as #{phone}, and each key of a path a text");
        }
        return template(
                "key",
                key,
                annotated,
                switch (key) {
                    case "user", "#user" -> "leave the key out and use limitType USER for the user who is logged in";
                    case "ip", "#ip" -> "leave the key out and use limitType IP for the address of the caller";
                    default -> "leave the key out, so that all callers share the permits";
                });
    }

    private static CallKey template(String attribute, String text, Method annotated, String otherRemedy) {
        return KeyTemplate.parse(
                ExpressionSource.of(attribute, text, annotated, ArgumentScope.of(annotated)), otherRemedy)::of;
    }

    /**
     * Checks that the application has the bean that finds such keys.
     *
     * @throws IllegalArgumentException if it has none
     */
    public void checkAvailable(LimitType type) {
        if (type == LimitType.IP && clientAddress.get() == null) {
            throw unavailable(type, "a web application", ClientAddress.class);
        }
        if (type == LimitType.USER && currentUser.get() == null) {
            throw unavailable(type, "Spring Security or a web application", CurrentUser.class);
        }
    }

    private static IllegalArgumentException unavailable(LimitType type, String needed, Class<?> bean) {
        return new IllegalArgumentException("limitType " + type + " needs " + needed
                + ", and there is none: define a bean of type " + bean.getName() + ", or choose another limitType");
    }

    private String ip() {
        ClientAddress source = clientAddress.get();
        if (source == null) {
            throw new MissingLimitKeyException("there is no request that has the caller's IP");
        }
        String address = source.address();
        if (!StringUtils.hasText(address)) {
            throw new MissingLimitKeyException("the caller's IP is null or blank");
        }
        return address;
    }

    /** With a prefix, because a name can look like an address. */
    private String userOrIp() {
        CurrentUser source = currentUser.get();
        String name = source == null ? null : source.name();
        if (name == null) {
            return "ip:" + ip();
        }
        if (name.isBlank()) {
            throw new MissingLimitKeyException("the user's name is blank");
        }
        return "user:" + name;
    }
}
