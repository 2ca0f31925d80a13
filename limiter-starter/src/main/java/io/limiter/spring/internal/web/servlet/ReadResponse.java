package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.web.usage.ResponseReading;
import io.limiter.spring.internal.web.usage.UsageReader;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** A response whose body is read while it passes on, piece by piece. */
final class ReadResponse extends HttpServletResponseWrapper {

    private final List<UsageReader> readers;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    /** As the handler set it; once the response is sent, the server may have set its own, and compress what is read here. */
    private @Nullable String encoding;

    private ReadResponse(HttpServletResponse response, List<UsageReader> readers) {
        super(response);
        this.readers = readers;
        this.encoding = response.getHeader(HttpHeaders.CONTENT_ENCODING);
    }

    /** The response itself if nothing reads its body. */
    static HttpServletResponse of(HttpServletResponse response, @Nullable ResponseReading reading) {
        List<UsageReader> readers = reading == null ? List.of() : reading.takeReaders();
        return readers.isEmpty() ? response : new ReadResponse(response, readers);
    }

    /** Writes, and remembers if the caller has left. */
    private void write(Writing writing) throws IOException {
        try {
            writing.run();
        } catch (IOException e) {
            breakOff();
            throw e;
        }
    }

    private void breakOff() {
        readers.forEach(UsageReader::breakOff);
    }

    private interface Writing {
        void run() throws IOException;
    }

    private void read(ByteBuffer piece) {
        readers.forEach(reader -> reader.read(piece, this::header));
    }

    /** Servers know the type apart from the other headers until these are sent. */
    private @Nullable String header(String name) {
        return switch (name) {
            case HttpHeaders.CONTENT_TYPE -> getContentType();
            case HttpHeaders.CONTENT_ENCODING -> encoding;
            default -> getHeader(name);
        };
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        super.setHeader(name, value);
        encoded(name, value);
    }

    @Override
    public void addHeader(String name, @Nullable String value) {
        super.addHeader(name, value);
        encoded(name, value);
    }

    private void encoded(String name, @Nullable String value) {
        if (name.equalsIgnoreCase(HttpHeaders.CONTENT_ENCODING) && !isCommitted()) {
            encoding = value;
        }
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream known = stream;
        if (known == null) {
            known = new ReadStream(super.getOutputStream());
            stream = known;
        }
        return known;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        PrintWriter known = writer;
        if (known == null) {
            known = new ReadPrintWriter(super.getWriter());
            writer = known;
        }
        return known;
    }

    @Override
    public void reset() {
        super.reset();
        readers.forEach(UsageReader::discard);
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        readers.forEach(UsageReader::discard);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        super.sendError(status, message);
        readers.forEach(UsageReader::discard);
    }

    @Override
    public void sendError(int status) throws IOException {
        super.sendError(status);
        readers.forEach(UsageReader::discard);
    }

    /** Reads each piece before it is written: the caller may have left, and it has cost the same. */
    private final class ReadStream extends ServletOutputStream {

        private final ServletOutputStream written;

        ReadStream(ServletOutputStream written) {
            this.written = written;
        }

        @Override
        public void write(int b) throws IOException {
            read(ByteBuffer.wrap(new byte[] {(byte) b}));
            ReadResponse.this.write(() -> written.write(b));
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            read(ByteBuffer.wrap(bytes, offset, length));
            ReadResponse.this.write(() -> written.write(bytes, offset, length));
        }

        @Override
        public void flush() throws IOException {
            ReadResponse.this.write(written::flush);
        }

        @Override
        public void close() throws IOException {
            ReadResponse.this.write(written::close);
        }

        @Override
        public boolean isReady() {
            return written.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            written.setWriteListener(listener);
        }
    }

    private final class ReadPrintWriter extends PrintWriter {

        private final PrintWriter written;

        ReadPrintWriter(PrintWriter written) {
            super(new ReadWriter(written));
            this.written = written;
        }

        @Override
        public boolean checkError() {
            return written.checkError();
        }
    }

    /** Reads characters as UTF-8, whatever the character set of the response is. */
    private final class ReadWriter extends Writer {

        private static final int PIECE = 8192;

        private final PrintWriter written;
        private final ByteBuffer piece = ByteBuffer.allocate(PIECE);
        private final CharsetEncoder encoder = StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);

        /** The first half of a character whose other half has not been written yet; 0 for none. */
        private char half;

        ReadWriter(PrintWriter written) {
            this.written = written;
        }

        @Override
        public void write(char[] characters, int offset, int length) {
            read(CharBuffer.wrap(characters, offset, length));
            written.write(characters, offset, length);
        }

        @Override
        public void write(String text, int offset, int length) {
            read(CharBuffer.wrap(text, offset, offset + length));
            written.write(text, offset, length);
        }

        private void read(CharBuffer text) {
            while (half != 0 && text.hasRemaining()) {
                char first = half;
                half = 0;
                encode(CharBuffer.wrap(new char[] {first, text.get()}));
            }
            encode(text);
        }

        private void encode(CharBuffer text) {
            CoderResult result;
            do {
                result = encoder.encode(text, piece, false);
                ReadResponse.this.read(piece.flip());
                piece.clear();
            } while (result.isOverflow());
            if (text.hasRemaining()) {
                half = text.get();
            }
        }

        @Override
        public void flush() {
            // It throws nothing, and flushes.
            if (written.checkError()) {
                breakOff();
            }
        }

        @Override
        public void close() {
            flush();
            written.close();
        }
    }
}
