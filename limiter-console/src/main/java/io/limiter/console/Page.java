package io.limiter.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files of the page, read once. */
final class Page {

    private static final String OWN = "/io/limiter/console/page/";
    private static final String INDEX = "index.html";
    private static final String CHART = "chart.js";
    private static final String CHART_FILE = "chart/chart.umd.min.js";

    private static final Map<String, String> FILES = Stream.of(
                    INDEX,
                    "console.css",
                    "icon.svg",
                    "api.js",
                    "bans.js",
                    "change.js",
                    "dialog.js",
                    "dom.js",
                    "form.js",
                    "format.js",
                    "graph.js",
                    "history.js",
                    "instances.js",
                    "key.js",
                    "keys.js",
                    "limit.js",
                    "limited.js",
                    "limits.js",
                    "main.js",
                    "spark.js",
                    "state.js",
                    "table.js",
                    "words.js")
            .collect(Collectors.toMap(name -> name, name -> OWN + name));

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "js", "text/javascript;charset=UTF-8",
            "svg", "image/svg+xml");

    private final Map<String, Asset> assets;

    /**
     * A file.
     *
     * @param tag changes with the content
     */
    record Asset(String type, byte[] content, String tag) {}

    Page() {
        assets = Stream.concat(FILES.entrySet().stream(), Map.of(CHART, OWN + CHART_FILE).entrySet().stream())
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, file -> read(file.getKey(), file.getValue())));
    }

    Asset index() {
        return Objects.requireNonNull(assets.get(INDEX));
    }

    /** {@code null} if there is none. */
    @Nullable
    Asset asset(String name) {
        return name.equals(INDEX) ? null : assets.get(name);
    }

    private static Asset read(String name, String resource) {
        try (InputStream in = Page.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("limiter-console has no " + resource + ": its jar is incomplete");
            }
            byte[] content = in.readAllBytes();
            String type = Objects.requireNonNull(TYPES.get(name.substring(name.lastIndexOf('.') + 1)));
            return new Asset(type, content, tag(content));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String tag(byte[] content) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
            return '"' + HexFormat.of().formatHex(hash, 0, 8) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
