package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.web.FormBody;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request whose form has been read for a key. Handlers find its parameters, and its body byte by byte, as if nobody had read it:
 * the body may be signed.
 */
final class FormRequest extends HttpServletRequestWrapper {

    private final FormBody body;
    private @Nullable Map<String, String[]> parameters;
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;

    private FormRequest(HttpServletRequest request, FormBody body) {
        super(request);
        this.body = body;
    }

    /**
     * Reads the form of a request.
     *
     * @return {@code null} if there is none that can be read, or somebody has read it already
     */
    static @Nullable FormRequest read(HttpServletRequest request) {
        if (!FormBody.isReadable(request.getContentType(), request.getContentLengthLong())) {
            return null;
        }
        byte[] bytes;
        try {
            bytes = request.getInputStream().readNBytes(request.getContentLength());
        } catch (IOException | IllegalStateException e) {
            // The caller has left, or a filter reads characters.
            return null;
        }
        return bytes.length == 0 ? null : new FormRequest(request, new FormBody(bytes, charset(request)));
    }

    private static Charset charset(HttpServletRequest request) {
        String name = request.getCharacterEncoding();
        try {
            return name == null ? StandardCharsets.UTF_8 : Charset.forName(name);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            return StandardCharsets.UTF_8;
        }
    }

    FormBody body() {
        return body;
    }

    /** The parameters of the query, then those of the form. The server no longer finds the form, because its stream was read. */
    @Override
    public Map<String, String[]> getParameterMap() {
        Map<String, String[]> known = parameters;
        if (known == null) {
            Map<String, List<String>> all = new LinkedHashMap<>();
            super.getParameterMap().forEach((name, values) -> all.put(name, new ArrayList<>(Arrays.asList(values))));
            body.parameters()
                    .forEach((name, values) ->
                            all.computeIfAbsent(name, any -> new ArrayList<>()).addAll(values));
            Map<String, String[]> joined = new LinkedHashMap<>();
            all.forEach((name, values) -> joined.put(name, values.toArray(String[]::new)));
            known = Collections.unmodifiableMap(joined);
            parameters = known;
        }
        return known;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values.clone();
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    @Override
    public ServletInputStream getInputStream() {
        ServletInputStream known = stream;
        if (known == null) {
            known = new Bytes(body.bytes());
            stream = known;
        }
        return known;
    }

    @Override
    public BufferedReader getReader() {
        BufferedReader known = reader;
        if (known == null) {
            known = new BufferedReader(new InputStreamReader(getInputStream(), charset(this)));
            reader = known;
        }
        return known;
    }

    private static final class Bytes extends ServletInputStream {

        private final ByteArrayInputStream bytes;

        Bytes(byte[] bytes) {
            this.bytes = new ByteArrayInputStream(bytes);
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            return bytes.read(to, offset, length);
        }

        @Override
        public int available() {
            return bytes.available();
        }

        @Override
        public boolean isFinished() {
            return bytes.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            try {
                listener.onDataAvailable();
                if (isFinished()) {
                    listener.onAllDataRead();
                }
            } catch (IOException | RuntimeException e) {
                listener.onError(e);
            }
        }
    }
}
