package io.limiter.sample;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Replaces a login: the user is the parameter {@code user}, without a password. For the sample only. */
@Component
class DemoLogin extends OncePerRequestFilter {

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String user = request.getParameter("user");
        chain.doFilter(user == null || user.isBlank() ? request : new LoggedIn(request, user), response);
    }

    private static final class LoggedIn extends HttpServletRequestWrapper {

        private final String user;

        LoggedIn(HttpServletRequest request, String user) {
            super(request);
            this.user = user;
        }

        @Override
        public @Nullable Principal getUserPrincipal() {
            return () -> user;
        }
    }
}
