package io.limiter.console;

import io.limiter.LimiterBackendException;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** Answers the requests of the page: what servlet and WebFlux applications share. Methods that call Redis block. */
final class Console {

    /** A form cannot send it, and a script from elsewhere needs leave that it does not get. */
    static final String HEADER = "X-Limiter-Console";

    static final int MAX_BODY = 64 * 1024;

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final LiveLimits limits;
    private final ConsoleProperties properties;
    private final Page page = new Page();

    Console(LiveLimits limits, ConsoleProperties properties) {
        this.limits = limits;
        this.properties = properties;
    }

    /** To the address that the relative links of the page are for, which also holds behind a proxy with another path. */
    ResponseEntity<byte[]> redirect() {
        String path = properties.path();
        return answer(HttpStatus.FOUND)
                .header(HttpHeaders.LOCATION, path.substring(path.lastIndexOf('/') + 1) + "/")
                .build();
    }

    ResponseEntity<byte[]> page(Caller caller) {
        return mayRead(caller) ? file(page.index(), caller) : loginNeeded();
    }

    ResponseEntity<byte[]> asset(String name, Caller caller) {
        Page.Asset asset = page.asset(name);
        return !mayRead(caller)
                ? loginNeeded()
                : asset == null ? answer(HttpStatus.NOT_FOUND).build() : file(asset, caller);
    }

    private static ResponseEntity<byte[]> file(Page.Asset asset, Caller caller) {
        boolean known = asset.tag().equals(caller.headers().getFirst(HttpHeaders.IF_NONE_MATCH));
        ResponseEntity.BodyBuilder answer = answer(known ? HttpStatus.NOT_MODIFIED : HttpStatus.OK)
                .header(HttpHeaders.CACHE_CONTROL, "no-cache")
                .header(HttpHeaders.ETAG, asset.tag());
        return known
                ? answer.build()
                : answer.header(HttpHeaders.CONTENT_TYPE, asset.type()).body(asset.content());
    }

    /** Also tells a page that has lost its stream whether it is logged out. */
    ResponseEntity<byte[]> session(Caller caller) {
        return read(
                caller,
                () -> new Wire.Session(caller.user(), properties.write(), properties.allowUnsecured(), caller.csrf()));
    }

    ResponseEntity<byte[]> limits(Caller caller) {
        return read(
                caller,
                () -> new Wire.Limits(
                        limits.version(),
                        limits.list().stream().map(Wire.Live::of).toList()));
    }

    ResponseEntity<byte[]> history(Caller caller) {
        return read(
                caller,
                () -> new Wire.History(
                        limits.history().stream().map(Wire.Change::of).toList()));
    }

    ResponseEntity<byte[]> put(Caller caller, byte[] body) {
        return write(caller, body, () -> {
            Wire.PutRequest request = Wire.read(body, Wire.PutRequest.class);
            ChangeNote note = note(caller, request.why());
            Long expires = request.expiresSeconds();
            LiveLimit stored = limits.put(
                    Wire.needed("name", request.name()),
                    Wire.needed("settings", request.settings()).toLive(),
                    expires == null ? note : note.expiresIn(seconds(expires)),
                    Wire.needed("expectedVersion", request.expectedVersion()));
            return Wire.Live.of(stored);
        });
    }

    ResponseEntity<byte[]> remove(Caller caller, byte[] body) {
        return write(caller, body, () -> {
            Wire.RemoveRequest request = Wire.read(body, Wire.RemoveRequest.class);
            limits.remove(
                    Wire.needed("name", request.name()),
                    note(caller, request.why()),
                    Wire.needed("expectedVersion", request.expectedVersion()));
            return new Wire.Limits(
                    limits.version(), limits.list().stream().map(Wire.Live::of).toList());
        });
    }

    ResponseEntity<byte[]> rollBack(Caller caller, byte[] body) {
        return write(caller, body, () -> {
            Wire.RollBackRequest request = Wire.read(body, Wire.RollBackRequest.class);
            return Wire.Change.of(limits.rollBack(
                    Wire.needed("version", request.version()),
                    note(caller, request.why()),
                    Wire.needed("expectedVersion", request.expectedVersion())));
        });
    }

    /** Whoever is logged in may read; who may log in and which paths he may read, the application's security decides. */
    boolean mayRead(Caller caller) {
        return properties.allowUnsecured() || caller.user() != null;
    }

    /** The head of a stream of events. */
    static ResponseEntity.BodyBuilder stream() {
        return answer(HttpStatus.OK)
                .contentType(MediaType.TEXT_EVENT_STREAM)
                .header(HttpHeaders.CACHE_CONTROL, "no-store, no-transform")
                // Of nginx, which would keep the events back.
                .header("X-Accel-Buffering", "no");
    }

    static ResponseEntity<byte[]> tooManyPages() {
        return problem(
                HttpStatus.SERVICE_UNAVAILABLE, "too many pages are open on this instance, or it is stopping", null);
    }

    static ResponseEntity<byte[]> loginNeeded() {
        return problem(HttpStatus.UNAUTHORIZED, "log in to use the console", null);
    }

    private ResponseEntity<byte[]> read(Caller caller, Supplier<Object> answer) {
        return mayRead(caller) ? answered(answer) : loginNeeded();
    }

    private ResponseEntity<byte[]> write(Caller caller, byte[] body, Supplier<Object> answer) {
        if (!mayRead(caller)) {
            return loginNeeded();
        }
        if (!properties.write()) {
            return forbidden("the console is read-only; limiter.console.write=true lets it change limits");
        }
        if (caller.headers().getFirst(HEADER) == null) {
            return forbidden("the header " + HEADER + " is missing");
        }
        if (!caller.isSameOrigin()) {
            return forbidden("the request comes from another site");
        }
        if (!caller.sendsJson()) {
            return problem(HttpStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json", null);
        }
        if (body.length > MAX_BODY) {
            return problem(HttpStatus.BAD_REQUEST, "the body must have at most " + MAX_BODY + " bytes", null);
        }
        return answered(answer);
    }

    private static ResponseEntity<byte[]> answered(Supplier<Object> answer) {
        try {
            return json(HttpStatus.OK, answer.get());
        } catch (LiveConflictException e) {
            return problem(
                    HttpStatus.CONFLICT,
                    String.valueOf(e.getMessage()),
                    e.current().map(Wire.Live::of).orElse(null));
        } catch (LimiterBackendException e) {
            return problem(HttpStatus.SERVICE_UNAVAILABLE, e.getMessage(), null);
        } catch (IllegalArgumentException e) {
            return problem(HttpStatus.BAD_REQUEST, String.valueOf(e.getMessage()), null);
        }
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

    private static ResponseEntity<byte[]> forbidden(String problem) {
        return problem(HttpStatus.FORBIDDEN, problem, null);
    }

    private static ResponseEntity<byte[]> problem(HttpStatus status, String problem, Wire.@Nullable Live current) {
        return json(status, new Wire.Problem(problem, current));
    }

    private static ResponseEntity<byte[]> json(HttpStatus status, Object value) {
        return answer(status)
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Wire.text(value).getBytes(StandardCharsets.UTF_8));
    }

    private static ResponseEntity.BodyBuilder answer(HttpStatus status) {
        return ResponseEntity.status(status)
                .header("Content-Security-Policy", POLICY)
                .header("X-Content-Type-Options", "nosniff")
                .header("X-Frame-Options", "DENY")
                .header("Referrer-Policy", "same-origin")
                .header("Cross-Origin-Opener-Policy", "same-origin")
                .header("Cross-Origin-Resource-Policy", "same-origin");
    }
}
