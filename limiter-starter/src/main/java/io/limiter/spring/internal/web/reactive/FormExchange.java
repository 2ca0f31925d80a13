package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.web.FormBody;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An exchange whose form has been read for a key. Handlers find its form data, and its body byte by byte, as if nobody had read it:
 * the body may be signed.
 */
final class FormExchange extends ServerWebExchangeDecorator {

    /** Of an exchange without a form. */
    static final UnaryOperator<@Nullable String> NONE = name -> null;

    private final FormBody body;
    private final ServerHttpRequest request;
    private final Mono<MultiValueMap<String, String>> formData;

    private FormExchange(ServerWebExchange exchange, FormBody body) {
        super(exchange);
        this.body = body;
        this.request = new ServerHttpRequestDecorator(exchange.getRequest()) {
            @Override
            public Flux<DataBuffer> getBody() {
                return Flux.defer(
                        () -> Flux.just(exchange.getResponse().bufferFactory().wrap(body.bytes())));
            }
        };
        this.formData = Mono.fromSupplier(() -> new LinkedMultiValueMap<>(body.parameters()));
    }

    /**
     * Reads the form of an exchange, whose parameters are those of {@link #form} then; the exchange itself if it has none that can be read
     * ahead of its handler, or somebody has read it already.
     */
    static Mono<ServerWebExchange> read(ServerWebExchange exchange) {
        HttpHeaders headers = exchange.getRequest().getHeaders();
        if (bodyOf(exchange) != null
                || !FormBody.isReadable(headers.getFirst(HttpHeaders.CONTENT_TYPE), headers.getContentLength())) {
            return Mono.just(exchange);
        }
        return DataBufferUtils.join(exchange.getRequest().getBody(), FormBody.LONGEST)
                .<ServerWebExchange>map(buffer -> {
                    byte[] bytes = new byte[buffer.readableByteCount()];
                    buffer.read(bytes);
                    DataBufferUtils.release(buffer);
                    return new FormExchange(exchange, new FormBody(bytes, charset(headers.getContentType())));
                })
                // The second reader of a body finds nothing on Netty, and gets an error on Tomcat.
                .onErrorReturn(IllegalStateException.class, exchange)
                .defaultIfEmpty(exchange);
    }

    /** The form that was read; {@code null} if there is none. */
    static @Nullable FormBody bodyOf(ServerWebExchange exchange) {
        ServerWebExchange each = exchange;
        while (each instanceof ServerWebExchangeDecorator decorator) {
            if (decorator instanceof FormExchange form) {
                return form.body;
            }
            each = decorator.getDelegate();
        }
        return null;
    }

    /**
     * The first values of the parameters of a form, also if it has been read with {@link ServerWebExchange#getFormData}, as a filter or the
     * handler of a limited method may have done. One whose body they read in another way has none.
     */
    static Mono<UnaryOperator<@Nullable String>> form(ServerWebExchange exchange) {
        HttpHeaders headers = exchange.getRequest().getHeaders();
        if (!FormBody.isReadable(headers.getFirst(HttpHeaders.CONTENT_TYPE), headers.getContentLength())) {
            return Mono.just(NONE);
        }
        return exchange.getFormData()
                .<UnaryOperator<@Nullable String>>map(form -> form::getFirst)
                .onErrorReturn(NONE)
                .defaultIfEmpty(NONE);
    }

    private static Charset charset(@Nullable MediaType type) {
        Charset named = type == null ? null : type.getCharset();
        return named == null ? StandardCharsets.UTF_8 : named;
    }

    @Override
    public ServerHttpRequest getRequest() {
        return request;
    }

    @Override
    public Mono<MultiValueMap<String, String>> getFormData() {
        return formData;
    }
}
