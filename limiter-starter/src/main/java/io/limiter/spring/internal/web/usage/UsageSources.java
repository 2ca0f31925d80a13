package io.limiter.spring.internal.web.usage;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where responses say what their requests have cost: in a header, or at pointers into JSON, whose numbers add up. The first source that
 * has a number counts. Safe for use by many threads.
 */
public final class UsageSources {

    private static final String HEADER = "response-header:";
    private static final String JSON = "response-json:";
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern PLUS = Pattern.compile("\\s*\\+\\s*(?=/)");

    private final List<Source> all;
    private final List<JsonPointer> pointers;

    /**
     * @param header {@code null} if it is JSON
     * @param from the first of its pointers among those of all sources
     * @param to behind the last one
     */
    record Source(@Nullable String header, int from, int to) {}

    private UsageSources(List<Source> all, List<JsonPointer> pointers) {
        this.all = List.copyOf(all);
        this.pointers = List.copyOf(pointers);
    }

    /**
     * Parses texts such as {@code response-header:X-Usage-Tokens} or {@code response-json:/usage/total_tokens}, in which {@code +} joins
     * pointers.
     *
     * @param texts at least one
     * @throws IllegalArgumentException if one is no source
     */
    public static UsageSources parse(List<String> texts) {
        List<Source> all = new ArrayList<>();
        List<JsonPointer> pointers = new ArrayList<>();
        for (String text : texts) {
            String source = text.strip();
            int first = pointers.size();
            if (source.startsWith(HEADER)
                    && NAME.matcher(source.substring(HEADER.length())).matches()) {
                all.add(new Source(source.substring(HEADER.length()), first, first));
            } else if (source.startsWith(JSON)) {
                for (String pointer : PLUS.split(source.substring(JSON.length()).strip())) {
                    pointers.add(JsonPointer.parse(pointer));
                }
                all.add(new Source(null, first, pointers.size()));
            } else {
                throw new IllegalArgumentException("must be response-header:<name>, such as"
                        + " response-header:X-Usage-Tokens, or response-json:<pointer>, such as"
                        + " response-json:/usage/total_tokens or response-json:/usage/input_tokens+/usage/output_tokens,"
                        + " was '" + text + "'");
            }
        }
        return new UsageSources(all, pointers);
    }

    List<Source> all() {
        return all;
    }

    /** The pointers of all sources. */
    List<JsonPointer> pointers() {
        return pointers;
    }

    /** Whether the body of a response is read, which must not be compressed then. */
    public boolean readsBody() {
        return !pointers.isEmpty();
    }
}
