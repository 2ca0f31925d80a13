package io.limiter.spring.web;

import java.nio.charset.StandardCharsets;

/** Strings of structured HTTP fields (RFC 9651, section 3.3.3), which are ASCII without control characters. */
final class FieldString {

    private FieldString() {}

    /** The text in quotes. Other characters are the bytes of their UTF-8 in percent notation. */
    static String of(String text) {
        StringBuilder field = new StringBuilder(text.length() + 2).append('"');
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            if (octet == '"' || octet == '\\') {
                field.append('\\').append((char) octet);
            } else if (octet >= ' ' && octet < 0x7F) {
                field.append((char) octet);
            } else {
                field.append(String.format("%%%02X", octet & 0xFF));
            }
        }
        return field.append('"').toString();
    }
}
