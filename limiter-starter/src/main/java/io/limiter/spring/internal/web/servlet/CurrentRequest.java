package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.key.address.CallerAddress;
import io.limiter.spring.internal.web.HeaderSet;
import io.limiter.spring.internal.web.HttpKeyRequest;
import io.limiter.spring.internal.web.servlet.ServletKeyRequest.Form;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import java.util.Collections;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The servlet request that the current thread handles: its address, its user and its recorder. */
public final class CurrentRequest {

    private CurrentRequest() {}

    private static @Nullable ServletRequestAttributes attributes() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? attributes
                : null;
    }

    /** A snapshot of the request, for the threads that go on with a limited call. */
    public static UnaryOperator<Runnable> capture() {
        return RequestSnapshot.capture();
    }

    /**
     * The address as a key. It is the forwarded address if the server or a filter has replaced the request's address
     * ({@code server.forward-headers-strategy}).
     *
     * @throws MissingLimitKeyException if there is no request, or its address is unknown
     */
    public static String address(CallerAddress addresses) {
        ServletRequestAttributes current = attributes();
        if (current == null) {
            throw new MissingLimitKeyException("there is no request that has the caller's IP: limit by IP only"
                    + " methods that are called in the thread of a request");
        }
        HttpServletRequest request = current.getRequest();
        return addresses.of(request.getRemoteAddr(), name -> Collections.list(request.getHeaders(name)));
    }

    /** The request as keys of limited methods use it; {@code null} if there is none. */
    public static @Nullable HttpKeyRequest facts(ClientAddress addresses, @Nullable CurrentUser users) {
        ServletRequestAttributes current = attributes();
        return current == null ? null : new ServletKeyRequest(current.getRequest(), addresses, users, Form.HANDLED);
    }

    /** The request's principal; {@code null} if the caller is anonymous, or there is no request. */
    public static @Nullable Principal user() {
        ServletRequestAttributes current = attributes();
        return current == null ? null : current.getRequest().getUserPrincipal();
    }

    /**
     * An authentication has failed in the thread of a request.
     *
     * @param login the name of the user who failed to log in
     */
    public static void authenticationFailed(String login) {
        ServletRequestAttributes current = attributes();
        DispatchRecorder recorder = current == null ? null : DispatchRecorder.find(current.getRequest());
        if (recorder != null) {
            recorder.record().authenticationFailed(login);
        }
    }

    /** The recorder of the request's decisions; {@code null} if there is no request. */
    public static @Nullable DecisionRecorder recorder(HeaderSet headers) {
        ServletRequestAttributes current = attributes();
        if (current == null) {
            return null;
        }
        HttpServletRequest request = current.getRequest();
        try {
            HttpServletResponse response = current.getResponse();
            return response == null ? DispatchRecorder.find(request) : DispatchRecorder.of(request, response, headers);
        } catch (IllegalStateException e) {
            // The request has ended, and this thread inherited it.
            return null;
        }
    }
}
