package io.limiter.spring.key.address;

import inet.ipaddr.IPAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses forwarded headers. An element that cannot be parsed is {@code null}. */
public final class ForwardedElements {

    private static final String UNPARSABLE = "";

    private ForwardedElements() {}

    /** The addresses of {@code X-Forwarded-For}, nearest last. */
    static List<@Nullable IPAddress> ofXForwardedFor(List<String> lines) {
        List<@Nullable IPAddress> addresses = new ArrayList<>();
        for (String line : lines) {
            for (String element : line.split(",", -1)) {
                addresses.add(IpAddresses.parse(element));
            }
        }
        return addresses;
    }

    /** The {@code for} parameters of {@code Forwarded}, nearest last. */
    static List<@Nullable IPAddress> ofForwarded(List<String> lines) {
        List<@Nullable IPAddress> addresses = new ArrayList<>();
        for (String line : lines) {
            for (String element : splitUnquoted(line, ',')) {
                addresses.add(IpAddresses.parse(forParameter(element)));
            }
        }
        return addresses;
    }

    private static @Nullable String forParameter(String element) {
        String found = null;
        for (String parameter : splitUnquoted(element, ';')) {
            String[] pair = parameter.strip().split("=", 2);
            if (pair.length == 2 && pair[0].equalsIgnoreCase("for")) {
                if (found != null) {
                    return null;
                }
                found = unquoted(pair[1]);
            }
        }
        return found;
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }

    /**
     * Splits at separators outside of quotes. If the last quote is not closed, the whole line counts as one that cannot be
     * parsed, an empty part: a caller may have opened the quote to hide what the proxy appended.
     */
    public static List<String> splitUnquoted(String text, char separator) {
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == separator && !quoted) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(text.substring(start));
        return quoted ? List.of(UNPARSABLE) : parts;
    }
}
