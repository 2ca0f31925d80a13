package io.limiter.spring.internal.web.servlet;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;

/**
 * Bodies of requests that were rejected before their handler. A client that writes a whole upload before it reads would never see
 * the response, because a server closes the connection of a body that nobody has read.
 */
final class Uploads {

    private static final Logger log = LoggerFactory.getLogger(Uploads.class);

    /** In bytes: the largest multipart request that Spring Boot accepts by default. */
    private static final int MOST = 10 * 1024 * 1024;

    private static final long LONGEST_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int BUFFER = 8 * 1024;

    private Uploads() {}

    /**
     * Reads the body, but no more than 10 MiB and no longer than about 10 s. Nothing is read of a body that is longer, or that the
     * client sends only after it was told to.
     */
    static void read(HttpServletRequest request) {
        long length = request.getContentLengthLong();
        if (length == 0 || length > MOST || request.getHeader(HttpHeaders.EXPECT) != null) {
            return;
        }
        long beginNanos = System.nanoTime();
        try {
            ServletInputStream body = request.getInputStream();
            byte[] buffer = new byte[BUFFER];
            int read = body.read(buffer);
            for (int all = read;
                    read >= 0 && all < MOST && System.nanoTime() - beginNanos < LONGEST_NANOS;
                    all += read) {
                read = body.read(buffer);
            }
        } catch (IOException | IllegalStateException e) {
            log.debug("The body of a rejected request could not be read", e);
        }
    }
}
