package io.limiter.console;

import io.limiter.LimiterBackendException;
import io.limiter.console.Rights.AccessDenied;
import io.limiter.console.Rights.Right;
import io.limiter.console.internal.wire.Wire;
import io.limiter.console.internal.wire.WireMapper;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.internal.actuate.LimitNames;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/** Answers the requests of the page: what servlet and WebFlux applications share. Methods that call Redis block. */
final class Console {

    /** A form cannot send it, and a script from elsewhere needs leave that it does not get. */
    static final String HEADER = "X-Limiter-Console";

    static final int MAX_BODY = 64 * 1024;

    private static final Pattern HASH = Pattern.compile("[0-9a-f]{16}");
    private static final int HISTORY = 50;
    private static final int MAX_HISTORY = 1000;
    private static final int MAX_KEYS_OF_LIMIT = 200;
    private static final int MAX_KEYS = 1000;

    private final LiveLimits limits;
    private final ConsoleProperties properties;
    private final Rights rights;
    private final boolean showKeys;
    private final FleetFeed feed;
    private final KeyLookup keyLookup;
    private final Page page = new Page();

    /** @param showKeys whether reports have keys themselves, and not their hashes */
    Console(LiveLimits limits, ConsoleProperties properties, boolean showKeys, FleetFeed feed, KeyLookup keyLookup) {
        this.limits = limits;
        this.properties = properties;
        this.rights = new Rights(properties);
        this.showKeys = showKeys;
        this.feed = feed;
        this.keyLookup = keyLookup;
    }

    /** To the address that the relative links of the page are for, which also holds behind a proxy with another path. */
    ConsoleResponse redirect() {
        String path = properties.path();
        return ConsoleResponse.empty(HttpStatus.FOUND)
                .with(HttpHeaders.LOCATION, path.substring(path.lastIndexOf('/') + 1) + "/");
    }

    ConsoleResponse page(Caller caller) {
        AccessDenied denied = rights.check(caller, Right.READ);
        return denied == null ? file(page.index(), caller) : denied.page();
    }

    ConsoleResponse asset(String name, Caller caller) {
        AccessDenied denied = rights.check(caller, Right.READ);
        if (denied != null) {
            return denied.problem();
        }
        Page.Asset asset = page.asset(name);
        return asset == null ? ConsoleResponse.empty(HttpStatus.NOT_FOUND) : file(asset, caller);
    }

    private static ConsoleResponse file(Page.Asset asset, Caller caller) {
        boolean known = asset.tag().equals(caller.header().apply(HttpHeaders.IF_NONE_MATCH));
        ConsoleResponse answer = ConsoleResponse.empty(known ? HttpStatus.NOT_MODIFIED : HttpStatus.OK)
                .with(HttpHeaders.CACHE_CONTROL, "no-cache")
                .with(HttpHeaders.ETAG, asset.tag());
        return known
                ? answer
                : answer.with(HttpHeaders.CONTENT_TYPE, asset.type()).with(asset.content());
    }

    /**
     * A page that has lost its stream also learns here whether it is logged out.
     *
     * @param full whether no stream is left for the caller
     */
    ConsoleResponse session(Caller caller, boolean full) {
        return read(
                caller,
                () -> new Wire.Session(
                        caller.user(),
                        rights.check(caller, Right.WRITE) == null,
                        mayWrite(caller),
                        properties.allowUnsecured(),
                        full,
                        showKeys));
    }

    /** @param token for a caller who may write: making one may create a session */
    ConsoleResponse csrf(Caller caller, Supplier<Wire.@Nullable Csrf> token) {
        AccessDenied denied = rights.check(caller, Right.KEYS);
        return denied == null
                ? ConsoleResponse.json(HttpStatus.OK, new Wire.CsrfAnswer(token.get()))
                : denied.problem();
    }

    ConsoleResponse limits(Caller caller) {
        return read(
                caller,
                () -> new Wire.Limits(
                        limits.version(),
                        limits.list().stream().map(Wire.Live::of).toList()));
    }

    /**
     * A page of the changes. It has fewer than it could, or none, if the caller must not see the others.
     *
     * @param before the version that they are below; empty for the newest
     */
    ConsoleResponse history(Caller caller, Optional<String> before, Optional<String> most) {
        return read(caller, () -> {
            LiveHistory found = limits.history(
                    (int) number("most", most, HISTORY, MAX_HISTORY),
                    number("before", before, 0, LiveLimits.MAX_VERSION));
            Predicate<Optional<LiveKey>> listed = listedFor(caller);
            return Wire.History.of(LiveHistory.of(
                    found.changes().stream()
                            .filter(each -> listed.test(each.key()))
                            .toList(),
                    found.unreadable(),
                    found.next()));
        });
    }

    /**
     * Whether lists for a caller contain the live limit of a key, and its changes. Users who may not change keys must not get those of
     * hashed keys, because they could find the key of a hash by trying keys until one has a live limit of the same version, end or reason.
     */
    private Predicate<Optional<LiveKey>> listedFor(Caller caller) {
        boolean withHashed = mayWrite(caller);
        return key -> withHashed || key.filter(LiveKey::hashed).isEmpty();
    }

    /**
     * The live limits of keys, those that were changed last.
     *
     * @param name of their limit; empty for all
     * @param search what their keys contain, or for all limits, their names, who or why; empty for all
     */
    ConsoleResponse keys(Caller caller, Optional<String> name, Optional<String> search) {
        return read(caller, () -> {
            String wanted = search.orElse("");
            Predicate<Optional<LiveKey>> listed = listedFor(caller);
            List<LiveLimit> found = name.map(limits::keys).orElseGet(limits::keys).stream()
                    .filter(each -> listed.test(each.key()))
                    .filter(each -> keyOf(each).contains(wanted)
                            || name.isEmpty()
                                    && Stream.of(each.name(), each.who(), each.why())
                                            .anyMatch(text -> text.contains(wanted)))
                    .sorted(Comparator.comparingLong(LiveLimit::version).reversed())
                    .toList();
            return new Wire.Keys(
                    found.size(),
                    found.stream()
                            .limit(name.isPresent() ? MAX_KEYS_OF_LIMIT : MAX_KEYS)
                            .map(Wire.Live::of)
                            .toList());
        });
    }

    private static String keyOf(LiveLimit limit) {
        return limit.key().map(LiveKey::value).orElse("");
    }

    /** What is known of one key of a limit. No permits are taken. */
    ConsoleResponse key(Caller caller, Function<String, Optional<String>> parameter) {
        return read(caller, () -> {
            LiveKey key = LiveKey.parse(
                    needed("key", parameter),
                    parameter.apply("hashed").map(Boolean::valueOf).orElse(false));
            // Who may not change it could find the key of a hash by trying.
            boolean mayRelate = mayWrite(caller);
            boolean byHash = mayRelate && !key.hashed();
            return keyLookup.of(
                    needed("prefix", parameter),
                    needed("name", parameter),
                    key,
                    reported -> reported.equals(key.value())
                            || byHash
                                    && HASH.matcher(reported).matches()
                                    && limits.isSame(key, LiveKey.hashed(reported)),
                    mayRelate);
        });
    }

    private static String needed(String name, Function<String, Optional<String>> parameter) {
        return Wire.needed(name, parameter.apply(name).orElse(null));
    }

    ConsoleResponse reset(Caller caller, byte[] body) {
        return write(caller, body, Wire.ResetRequest.class, request -> Right.KEYS, request -> {
            String prefix = Wire.needed("prefix", request.prefix());
            String name = Wire.needed("name", request.name());
            LiveKey key = Wire.needed("key", request.key()).toLive();
            if (!Boolean.TRUE.equals(request.ban())) {
                return keyLookup.reset(prefix, name, key, caller.name());
            }
            keyLookup.resetBanned(prefix, name, key, caller.name());
            return Map.of();
        });
    }

    ConsoleResponse put(Caller caller, byte[] body) {
        return write(caller, body, Wire.PutRequest.class, request -> right(request.key()), request -> {
            ChangeNote plain = note(caller, request.why());
            Long expires = request.expiresSeconds();
            ChangeNote note = expires == null ? plain : plain.withExpiry(seconds(expires));
            String name = Wire.needed("name", request.name());
            LiveSettings settings = LiveSettings.of(Wire.needed("settings", request.settings()));
            long expectedVersion = Wire.needed("expectedVersion", request.expectedVersion());
            LimitNames.check(name, feed.names(), settings.kind());
            return Wire.Live.of(
                    request.key() == null
                            ? limits.put(name, settings, note, expectedVersion)
                            : limits.put(name, request.key().toLive(), settings, note, expectedVersion));
        });
    }

    private static Right right(Wire.@Nullable Key key) {
        return key == null ? Right.WRITE : Right.KEYS;
    }

    ConsoleResponse remove(Caller caller, byte[] body) {
        return write(caller, body, Wire.RemoveRequest.class, request -> right(request.key()), request -> {
            ChangeNote note = note(caller, request.why());
            String name = Wire.needed("name", request.name());
            long expectedVersion = Wire.needed("expectedVersion", request.expectedVersion());
            Set<String> known = feed.names();
            if (!known.contains(name)) {
                throw new IllegalArgumentException(LimitNames.problem(name, known));
            }
            if (request.key() == null) {
                limits.remove(name, note, expectedVersion);
            } else {
                limits.remove(name, request.key().toLive(), note, expectedVersion);
            }
            return new Wire.Limits(
                    limits.version(), limits.list().stream().map(Wire.Live::of).toList());
        });
    }

    ConsoleResponse rollBack(Caller caller, byte[] body) {
        return write(
                caller,
                body,
                Wire.RollBackRequest.class,
                request -> isOfKey(Wire.needed("version", request.version())) ? Right.KEYS : Right.WRITE,
                request -> Wire.Change.of(limits.rollBack(
                        Wire.needed("version", request.version()),
                        note(caller, request.why()),
                        Wire.needed("expectedVersion", request.expectedVersion()))));
    }

    private boolean isOfKey(long version) {
        return limits.change(version).flatMap(LiveChange::key).isPresent();
    }

    /** {@code null} if the caller may read. */
    @Nullable
    ConsoleResponse notReadable(Caller caller) {
        AccessDenied denied = rights.check(caller, Right.READ);
        return denied == null ? null : denied.problem();
    }

    /** Whether the caller may change anything. */
    boolean mayWrite(Caller caller) {
        return rights.check(caller, Right.KEYS) == null;
    }

    private ConsoleResponse read(Caller caller, Supplier<Object> answer) {
        ConsoleResponse rejected = notReadable(caller);
        return rejected == null ? answered(() -> ConsoleResponse.json(HttpStatus.OK, answer.get())) : rejected;
    }

    /**
     * @param right that a request needs
     */
    private <T> ConsoleResponse write(
            Caller caller, byte[] body, Class<T> type, Function<T, Right> right, Function<T, Object> answer) {
        AccessDenied denied = rights.check(caller, Right.KEYS);
        if (denied != null) {
            return denied.problem();
        }
        String protocol = caller.header().apply(HEADER);
        if (protocol == null) {
            return forbidden("the header " + HEADER + " is missing");
        }
        if (!caller.isSameOrigin()) {
            return forbidden("the request comes from another site");
        }
        if (!caller.sendsJson()) {
            return ConsoleResponse.problem(
                    HttpStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json", null);
        }
        if (!protocol.equals(Integer.toString(Wire.PROTOCOL))) {
            return ConsoleResponse.problem(
                    HttpStatus.BAD_REQUEST,
                    "this page has another version of the console than this instance, whose " + HEADER + " is "
                            + Wire.PROTOCOL + ": load the page again",
                    null);
        }
        if (body.length > MAX_BODY) {
            return ConsoleResponse.problem(
                    HttpStatus.BAD_REQUEST, "the body must have at most " + MAX_BODY + " bytes", null);
        }
        return answered(() -> {
            T request = WireMapper.read(body, type);
            AccessDenied ofRequest = rights.check(caller, right.apply(request));
            return ofRequest == null ? ConsoleResponse.json(HttpStatus.OK, answer.apply(request)) : ofRequest.problem();
        });
    }

    static ConsoleResponse tooManyPages(String detail) {
        return ConsoleResponse.problem(HttpStatus.SERVICE_UNAVAILABLE, detail, null);
    }

    private static ConsoleResponse answered(Supplier<ConsoleResponse> answer) {
        try {
            return answer.get();
        } catch (LiveConflictException e) {
            return ConsoleResponse.problem(
                    HttpStatus.CONFLICT,
                    String.valueOf(e.getMessage()),
                    e.current().map(Wire.Live::of).orElse(null));
        } catch (LimiterBackendException e) {
            return ConsoleResponse.problem(HttpStatus.SERVICE_UNAVAILABLE, e.getMessage(), null);
        } catch (IllegalArgumentException e) {
            return ConsoleResponse.problem(HttpStatus.BAD_REQUEST, String.valueOf(e.getMessage()), null);
        }
    }

    private static long number(String name, Optional<String> text, long usual, long most) {
        try {
            long value = text.map(Long::parseLong).orElse(usual);
            if (value >= 0 && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // The same answer.
        }
        throw new IllegalArgumentException(
                name + " must be a number from 0 to " + most + ", was '" + text.orElse("") + "'");
    }

    private static ChangeNote note(Caller caller, @Nullable String why) {
        return ChangeNote.of(caller.name(), why == null ? "" : why);
    }

    private static Duration seconds(long seconds) {
        try {
            return Duration.ofSeconds(seconds);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("expiresSeconds is too long: " + seconds, e);
        }
    }

    private static ConsoleResponse forbidden(String detail) {
        return ConsoleResponse.problem(HttpStatus.FORBIDDEN, detail, null);
    }
}
