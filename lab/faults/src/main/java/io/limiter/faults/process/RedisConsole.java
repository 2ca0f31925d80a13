package io.limiter.faults.process;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/** A plain connection to Redis: it does not reconnect, retry or time out by itself. */
public final class RedisConsole implements Closeable {

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;

    public RedisConsole(int port) throws IOException {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5000);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = new BufferedOutputStream(socket.getOutputStream());
    }

    /**
     * The reply as text; elements of an array are lines.
     *
     * @throws RedisError if it is an error
     */
    public synchronized String command(String... words) throws IOException {
        send(words);
        return reply();
    }

    /** Sends a command and waits for no reply. */
    public synchronized void send(String... words) throws IOException {
        write("*" + words.length + "\r\n");
        for (String word : words) {
            write("$" + word.getBytes(StandardCharsets.ISO_8859_1).length + "\r\n" + word + "\r\n");
        }
        out.flush();
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private String reply() throws IOException {
        String line = line();
        String rest = line.substring(1);
        switch (line.charAt(0)) {
            case '-':
                throw new RedisError(rest);
            case '$':
                int length = Integer.parseInt(rest);
                if (length < 0) {
                    return "";
                }
                String text = new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
                line();
                return text;
            case '*':
                StringJoiner elements = new StringJoiner("\n");
                for (int i = Integer.parseInt(rest); i > 0; i--) {
                    elements.add(reply());
                }
                return elements.toString();
            default:
                return rest;
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\r'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("Redis has closed the connection");
            }
            line.append((char) next);
        }
        in.read();
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** An error that Redis replied. */
    public static final class RedisError extends IOException {

        private static final long serialVersionUID = 1L;

        RedisError(String message) {
            super(message);
        }
    }
}
