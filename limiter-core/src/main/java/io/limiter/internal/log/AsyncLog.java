package io.limiter.internal.log;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.internal.thread.LimiterThread;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPLogger;

/**
 * The log of a class, written by one daemon thread of this JVM, because an appender may block and callers must not wait
 * for it.
 *
 * <p>At most {@value #MAX_QUEUED} lines are queued. Further ones are dropped, and a line says how many. Stack traces are
 * logged with errors, which are bugs, and otherwise only if the class logs at DEBUG; without one, the
 * exception is at the end of the line. The thread ends when it has been idle for a few seconds.
 */
public final class AsyncLog {

    static final int MAX_QUEUED = 1024;

    /** Logs nothing. */
    public static final AsyncLog NONE = new AsyncLog(NOPLogger.NOP_LOGGER);

    private static final int IDLE_SECONDS = 10;
    private static final int MAX_LINE = 2000;
    // Controls, separators of lines and paragraphs, marks without a width (which may reverse what follows), half pairs.
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cf}\\p{Cs}]");
    private static final Duration FLUSH_PAUSE = Duration.ofMillis(2);

    private static final ThreadPoolExecutor THREAD = new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_QUEUED),
            LimiterThread.named("limiter-log"));
    private static final AtomicInteger UNWRITTEN = new AtomicInteger();
    private static final AtomicLong DROPPED = new AtomicLong();
    private static final LogThrottle DROPPING = new LogThrottle();

    static {
        THREAD.allowCoreThreadTimeOut(true);
    }

    private final Logger logger;

    private AsyncLog(Logger logger) {
        this.logger = logger;
    }

    public static AsyncLog of(Class<?> logging) {
        return new AsyncLog(LoggerFactory.getLogger(logging));
    }

    /**
     * @param format with <code>{}</code> for each argument
     * @param arguments immutable; a last one without a place in the format may be an exception
     */
    public void debug(String format, @Nullable Object... arguments) {
        log(Level.DEBUG, format, arguments);
    }

    /** See {@link #debug}. */
    public void info(String format, @Nullable Object... arguments) {
        log(Level.INFO, format, arguments);
    }

    /** See {@link #debug}. */
    public void warn(String format, @Nullable Object... arguments) {
        log(Level.WARN, format, arguments);
    }

    /** See {@link #debug}. */
    public void error(String format, @Nullable Object... arguments) {
        log(Level.ERROR, format, arguments);
    }

    /** As {@link #warn(String, Object...)}, once a minute at most, with the number of suppressed lines. */
    public void warn(LogThrottle throttle, String format, @Nullable Object... arguments) {
        warn(throttle, 1, format, arguments);
    }

    /** As {@link #warn(LogThrottle, String, Object...)}, for several events, of which the line describes one. */
    public void warn(LogThrottle throttle, int events, String format, @Nullable Object... arguments) {
        log(Level.WARN, throttle, events, format, arguments);
    }

    /** As {@link #error(String, Object...)}, once a minute at most, with the number of suppressed lines. */
    public void error(LogThrottle throttle, String format, @Nullable Object... arguments) {
        log(Level.ERROR, throttle, 1, format, arguments);
    }

    private void log(Level level, LogThrottle throttle, int events, String format, @Nullable Object[] arguments) {
        long suppressed = throttle.suppressed(events);
        if (suppressed != LogThrottle.NOT_NOW) {
            String more = " (" + suppressed + " more since the last such line, at most one line a minute)";
            log(level, suppressed == 0 ? format : format + more, arguments);
        }
    }

    private void log(Level level, String format, @Nullable Object[] arguments) {
        if (!logger.isEnabledForLevel(level)) {
            return;
        }
        enqueue(() -> write(level, format, arguments));
    }

    private static void enqueue(Runnable line) {
        UNWRITTEN.incrementAndGet();
        boolean queued = false;
        try {
            THREAD.execute(() -> run(line));
            queued = true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // The queue is full, or no thread can be started.
            DROPPED.incrementAndGet();
        } finally {
            if (!queued) {
                UNWRITTEN.decrementAndGet();
            }
        }
    }

    private static void run(Runnable line) {
        try {
            if (DROPPED.get() > 0 && DROPPING.suppressed(1) != LogThrottle.NOT_NOW) {
                writeDropped();
            }
            line.run();
        } catch (RuntimeException | Error e) {
            // An appender has thrown; there is no other place to log that.
            return;
        } finally {
            UNWRITTEN.decrementAndGet();
        }
    }

    private void write(Level level, String format, @Nullable Object[] arguments) {
        Throwable thrown = MessageFormatter.getThrowableCandidate(arguments);
        String line = oneLine(MessageFormatter.arrayFormat(format, arguments).getMessage());
        if (thrown == null) {
            logger.atLevel(level).log(line);
        } else if (level == Level.ERROR || logger.isDebugEnabled()) {
            logger.atLevel(level).setCause(thrown).log(line);
        } else {
            logger.atLevel(level).log(line + " (" + oneLine(thrown.toString()) + ")");
        }
    }

    /**
     * The text as a part of a line: unprintable characters are question marks, and what is longer than {@value #MAX_LINE}
     * characters is cut. Keys, names and notes are what callers say, and must not look like another line.
     */
    public static String oneLine(String text) {
        String cut = text.length() <= MAX_LINE
                ? text
                : text.substring(0, MAX_LINE) + "... (" + (text.length() - MAX_LINE) + " more characters)";
        return UNPRINTABLE.matcher(cut).replaceAll("?");
    }

    private static void writeDropped() {
        long dropped = DROPPED.getAndSet(0);
        if (dropped > 0) {
            LoggerFactory.getLogger(AsyncLog.class)
                    .warn("{} lines were not logged, because the log is too slow for them.", dropped);
        }
    }

    /**
     * Waits until all lines are written, also that of the dropped ones.
     *
     * @return {@code false} if that takes longer; the lines are written nevertheless while the JVM runs
     */
    public static boolean flush(Duration timeout) {
        long start = System.nanoTime();
        while (UNWRITTEN.get() > 0 || DROPPED.get() > 0) {
            if (System.nanoTime() - start >= timeout.toNanos()) {
                return false;
            }
            if (UNWRITTEN.get() == 0) {
                enqueue(AsyncLog::writeDropped);
            }
            Uninterruptibles.sleepUninterruptibly(FLUSH_PAUSE);
        }
        return true;
    }
}
