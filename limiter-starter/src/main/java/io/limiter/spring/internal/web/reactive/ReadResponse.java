package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.web.RequestRecord;
import io.limiter.spring.internal.web.usage.ResponseReading;
import io.limiter.spring.internal.web.usage.UsageReader;
import java.util.List;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A response whose body is read while it passes on, piece by piece. */
final class ReadResponse extends ServerHttpResponseDecorator {

    private final RequestRecord record;

    /** @param record of the exchange, which knows what reads the response once there is one */
    ReadResponse(ServerHttpResponse response, RequestRecord record) {
        super(response);
        this.record = record;
    }

    @Override
    public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
        List<UsageReader> readers = takeReaders();
        return super.writeWith(readers.isEmpty() ? body : read(body, readers));
    }

    @Override
    public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
        List<UsageReader> readers = takeReaders();
        return super.writeAndFlushWith(
                readers.isEmpty()
                        ? body
                        : Flux.<Publisher<? extends DataBuffer>>from(body)
                                .map(part -> read(part, readers))
                                .doOnError(e -> breakOff(readers))
                                .doOnCancel(() -> breakOff(readers)));
    }

    private List<UsageReader> takeReaders() {
        ResponseReading reading = record.reading();
        return reading == null ? List.of() : reading.takeReaders();
    }

    private Publisher<? extends DataBuffer> read(Publisher<? extends DataBuffer> body, List<UsageReader> readers) {
        return body instanceof Mono
                ? Mono.<DataBuffer>from(body).doOnNext(piece -> read(piece, readers))
                : Flux.<DataBuffer>from(body)
                        .doOnNext(piece -> read(piece, readers))
                        .doOnError(e -> breakOff(readers))
                        .doOnCancel(() -> breakOff(readers));
    }

    private static void breakOff(List<UsageReader> readers) {
        readers.forEach(UsageReader::breakOff);
    }

    private void read(DataBuffer piece, List<UsageReader> readers) {
        try (DataBuffer.ByteBufferIterator buffers = piece.readableByteBuffers()) {
            buffers.forEachRemaining(buffer -> readers.forEach(reader -> reader.read(buffer, getHeaders()::getFirst)));
        }
    }
}
