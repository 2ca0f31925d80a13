package io.limiter.spring.web.servlet;

import io.limiter.spring.key.CurrentUser;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** The principal of the current servlet request. */
public final class ServletCurrentUser implements CurrentUser {

    @Override
    public @Nullable String name() {
        HttpServletRequest request = ServletRequests.current();
        Principal principal = request == null ? null : request.getUserPrincipal();
        return principal == null ? null : principal.getName();
    }
}
