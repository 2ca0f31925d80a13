package io.limiter.spring.key;

import io.limiter.spring.annotation.LimitType;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ways to find the key of a call, one for each {@link LimitType}. */
public final class CallKeys {

    private final Supplier<@Nullable ClientAddress> clientAddress;
    private final Supplier<@Nullable CurrentUser> currentUser;

    /**
     * The suppliers are asked until they have an answer, from when a limit first needs it, and not before the
     * application's beans are there.
     */
    public CallKeys(Supplier<@Nullable ClientAddress> clientAddress, Supplier<@Nullable CurrentUser> currentUser) {
        this.clientAddress = new Found<>(clientAddress);
        this.currentUser = new Found<>(currentUser);
    }

    /**
     * Parses and checks what an annotation says.
     *
     * @param key the annotation's, empty if it has none
     * @param annotated the method whose argument names the key uses
     * @throws IllegalArgumentException if the key is missing, without use or cannot work
     */
    public CallKey of(LimitType type, String key, Method annotated) {
        if (type == LimitType.CUSTOM) {
            return KeyTemplate.parse(key, annotated);
        }
        if (!key.isEmpty()) {
            throw new IllegalArgumentException("key '" + key + "' has no effect with limitType " + type
                    + ": use limitType CUSTOM, or leave the key out");
        }
        return switch (type) {
            case IP -> arguments -> ip();
            case USER -> arguments -> userOrIp();
            default -> arguments -> null;
        };
    }

    /**
     * Parses and checks what an annotation says about the slot of its keys.
     *
     * @param annotated the method whose argument names the slot uses
     * @throws IllegalArgumentException if the slot cannot work
     */
    public static CallKey slot(String slot, Method annotated) {
        return KeyTemplate.parseSlot(slot, annotated);
    }

    /**
     * Checks that this application can tell such keys.
     *
     * @throws IllegalArgumentException if it cannot
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
            throw new MissingLimitKeyException("no request to take the caller's IP from");
        }
        String address = source.address();
        if (isBlank(address)) {
            throw new MissingLimitKeyException("the caller's IP is null or blank");
        }
        return address;
    }

    /** A name can look like an address, so each says which it is. */
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

    private static boolean isBlank(@Nullable String text) {
        return text == null || text.isBlank();
    }

    /** Keeps what was found: to ask for a bean takes over a microsecond, twenty times as long as the rest of a key. */
    private static final class Found<T> implements Supplier<@Nullable T> {

        private final Supplier<@Nullable T> source;
        private volatile @Nullable T found;

        Found(Supplier<@Nullable T> source) {
            this.source = source;
        }

        @Override
        public @Nullable T get() {
            T known = found;
            if (known == null) {
                known = source.get();
                found = known;
            }
            return known;
        }
    }
}
