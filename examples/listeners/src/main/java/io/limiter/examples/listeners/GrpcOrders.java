package io.limiter.examples.listeners;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.Code;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.protobuf.SimpleRequest;
import io.grpc.testing.protobuf.SimpleResponse;
import io.grpc.testing.protobuf.SimpleServiceGrpc.SimpleServiceImplBase;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.annotation.RateLimit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.grpc.server.exception.GrpcExceptionHandler;
import org.springframework.grpc.server.service.GrpcService;

@GrpcService
class GrpcOrders extends SimpleServiceImplBase {

    @Override
    @RateLimit(name = "quote", key = "#{request.requestMessage}", rate = 1, per = "1m")
    public void unaryRpc(SimpleRequest request, StreamObserver<SimpleResponse> response) {
        response.onNext(answer(request));
        response.onCompleted();
    }

    private static SimpleResponse answer(SimpleRequest request) {
        return SimpleResponse.newBuilder()
                .setResponseMessage("quote for " + request.getRequestMessage())
                .build();
    }

    @Configuration(proxyBeanMethods = false)
    static class Handling {

        @Bean
        GrpcExceptionHandler rejections() {
            return failure -> {
                if (!(failure instanceof RateLimitExceededException)) {
                    return null;
                }
                Status.Builder status = Status.newBuilder()
                        .setCode(Code.RESOURCE_EXHAUSTED_VALUE)
                        .setMessage(failure.getMessage());
                Rejections.retryAfter(failure).ifPresent(after -> status.addDetails(Any.pack(RetryInfo.newBuilder()
                        .setRetryDelay(Duration.newBuilder()
                                .setSeconds(after.toSeconds())
                                .setNanos(after.toNanosPart()))
                        .build())));
                return StatusProto.toStatusException(status.build());
            };
        }
    }
}
