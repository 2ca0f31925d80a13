package io.limiter.spring.web.servlet;

import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.key.address.CallerAddress;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;

/**
 * The {@link CallerAddress} of the current servlet request. It uses the forwarded address if the server or a filter has
 * replaced the request's address ({@code server.forward-headers-strategy}).
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
            throw new MissingLimitKeyException("there is no request that has the caller's IP: limit by IP only"
                    + " methods that are called in the thread of a request");
        }
        return addresses.of(request.getRemoteAddr(), name -> Collections.list(request.getHeaders(name)));
    }
}
