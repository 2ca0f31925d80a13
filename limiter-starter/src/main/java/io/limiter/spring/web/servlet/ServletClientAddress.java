package io.limiter.spring.web.servlet;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.key.address.CallerAddress;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;

/**
 * The {@link CallerAddress} of the current servlet request.
 *
 * <p>If the server or a filter ({@code server.forward-headers-strategy}) has already replaced the request's address by
 * a forwarded one, that address is what counts here.
 */
public final class ServletClientAddress implements ClientAddress {

    private final CallerAddress addresses;

    public ServletClientAddress(CallerAddress addresses) {
        this.addresses = addresses;
    }

    @Override
    public String address() {
        HttpServletRequest request = ServletRequests.current();
        if (request == null) {
            throw new MissingLimitKeyException("no request to take the caller's IP from: limit by IP only what is"
                    + " called while a request is handled, in its thread");
        }
        return addresses.of(request.getRemoteAddr(), name -> Collections.list(request.getHeaders(name)));
    }
}
