package io.limiter.spring.internal.key.address;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a forwarded header, from the last and nearest one on. Each is parsed when it is asked for, because callers may
 * send thousands in front of the few that count.
 */
final class ForwardedElements {

    /** More than proxies in a row. A caller may send addresses in trusted ranges, too. */
    static final int MOST = 64;

    private static final int OPEN_QUOTE = -1;
    private static final int LINE_BEFORE = -1;

    private final List<String> lines;
    private final boolean standard;
    private int line;
    /** Of the next element; {@link #LINE_BEFORE} if that is the last of the line before. */
    private int end;

    private int left = MOST;

    private ForwardedElements(List<String> lines, boolean standard) {
        this.lines = lines;
        this.standard = standard;
        this.line = lines.size();
        this.end = LINE_BEFORE;
    }

    /** The addresses of {@code X-Forwarded-For}. */
    static ForwardedElements ofXForwardedFor(List<String> lines) {
        return new ForwardedElements(lines, false);
    }

    /** The {@code for} parameters of {@code Forwarded}. */
    static ForwardedElements ofForwarded(List<String> lines) {
        return new ForwardedElements(lines, true);
    }

    boolean hasNext() {
        return (end >= 0 || line > 0) && left > 0;
    }

    /** The address of the next element further from this server; {@code null} if it cannot be parsed. */
    @Nullable
    InetAddress next() {
        left--;
        if (end < 0) {
            line--;
            end = lines.get(line).length();
        }
        String text = lines.get(line);
        int start = standard ? startUnquoted(text, end) : text.lastIndexOf(',', end - 1) + 1;
        if (start == OPEN_QUOTE) {
            // A caller may have opened the quote to hide what the proxy appended: the whole line is one element.
            end = LINE_BEFORE;
            return null;
        }
        int elementEnd = end;
        end = start == 0 ? LINE_BEFORE : start - 1;
        return standard
                ? IpAddresses.parse(forParameter(text, start, elementEnd))
                : IpAddresses.parse(text.substring(start, elementEnd));
    }

    /** Behind the last comma before {@code end} that is not in quotes; {@link #OPEN_QUOTE} if {@code end} itself is. */
    private static int startUnquoted(String text, int end) {
        boolean quoted = false;
        int start = 0;
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                start = i + 1;
            }
        }
        return quoted ? OPEN_QUOTE : start;
    }

    /** The value of the only {@code for}; {@code null} if there are none or several. */
    private static @Nullable String forParameter(String text, int start, int end) {
        String found = null;
        boolean quoted = false;
        int from = start;
        for (int i = start; i <= end; i++) {
            char c = i < end ? text.charAt(i) : ';';
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ';' && !quoted) {
                String value = forValue(text, from, i);
                if (value != null && found != null) {
                    return null;
                }
                found = value == null ? found : value;
                from = i + 1;
            }
        }
        return found;
    }

    private static @Nullable String forValue(String text, int start, int end) {
        int name = start;
        while (name < end && Character.isWhitespace(text.charAt(name))) {
            name++;
        }
        return text.regionMatches(true, name, "for=", 0, 4) && name + 4 <= end
                ? unquoted(text.substring(name + 4, end).strip())
                : null;
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
