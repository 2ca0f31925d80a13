package io.limiter.spring.cloud;

import io.limiter.spring.internal.web.servlet.ServletChecks;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.server.mvc.handler.GatewayServerResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.MultiValueMap;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.AsyncServerResponse;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * A response that was made on another thread than the one that writes it, which alone may set the headers of limits, or that is read
 * while it is written.
 */
class LimitedResponse implements ServerResponse {

    private final ServerResponse handled;

    private LimitedResponse(ServerResponse handled) {
        this.handled = handled;
    }

    static ServerResponse of(ServerResponse handled) {
        if (handled instanceof AsyncServerResponse later) {
            return new Later(later);
        }
        return handled instanceof GatewayServerResponse changeable
                ? new Changeable(changeable)
                : new LimitedResponse(handled);
    }

    @Override
    public HttpStatusCode statusCode() {
        return handled.statusCode();
    }

    /** Spring 6 has this method. */
    @Deprecated
    @SuppressWarnings({"MissingOverride", "removal"})
    public int rawStatusCode() {
        return statusCode().value();
    }

    @Override
    public HttpHeaders headers() {
        return handled.headers();
    }

    @Override
    public MultiValueMap<String, Cookie> cookies() {
        return handled.cookies();
    }

    @Override
    public @Nullable ModelAndView writeTo(HttpServletRequest request, HttpServletResponse response, Context context)
            throws ServletException, IOException {
        ServletChecks.writeHeaders(request);
        ServletRouteLimits.replaceHeaders(handled, response);
        return handled.writeTo(request, ServletChecks.read(request, response), context);
    }

    /** One that is there later, and written with the response that is read then. */
    private static final class Later extends LimitedResponse implements AsyncServerResponse {

        private final AsyncServerResponse handled;

        Later(AsyncServerResponse handled) {
            super(handled);
            this.handled = handled;
        }

        @Override
        public ServerResponse block() {
            return of(handled.block());
        }
    }

    /** One that filters of the gateway may change. */
    private static final class Changeable extends LimitedResponse implements GatewayServerResponse {

        private final GatewayServerResponse handled;

        Changeable(GatewayServerResponse handled) {
            super(handled);
            this.handled = handled;
        }

        @Override
        public void setStatusCode(HttpStatusCode status) {
            handled.setStatusCode(status);
        }
    }
}
