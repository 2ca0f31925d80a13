package io.limiter.spring;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.limiter.internal.log.AsyncLog;
import java.time.Duration;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What a class logs while this is open, from INFO on unless another level is given. */
public final class LogLines implements AutoCloseable {

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger;

    public LogLines(Class<?> type) {
        this(type.getName());
    }

    public LogLines(String className) {
        this(className, Level.INFO);
    }

    public LogLines(String className, Level level) {
        logger = (Logger) LoggerFactory.getLogger(className);
        logger.setLevel(level);
        // What tests before this one have logged.
        AsyncLog.flush(Duration.ofMinutes(1));
        lines.start();
        logger.setAdditive(false);
        logger.addAppender(lines);
    }

    /** With the level in front. */
    public List<String> all() {
        return lines.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(null);
    }
}
