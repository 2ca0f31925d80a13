package io.limiter.examples.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.testing.protobuf.SimpleRequest;
import io.grpc.testing.protobuf.SimpleServiceGrpc;
import io.grpc.testing.protobuf.SimpleServiceGrpc.SimpleServiceBlockingStub;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(
        classes = {GrpcOrders.class, GrpcOrders.Handling.class},
        properties = {
            "spring.grpc.server.enabled=true",
            "spring.grpc.server.inprocess.name=quotes",
            "limiter.limits.quote.per=1h"
        })
@EnableAutoConfiguration
class GrpcOrdersTest {

    @Test
    void a_rejected_call_has_the_status_resource_exhausted_with_its_retry_delay() throws Exception {
        ManagedChannel channel = InProcessChannelBuilder.forName("quotes").build();
        try {
            SimpleServiceBlockingStub quotes = SimpleServiceGrpc.newBlockingStub(channel);
            SimpleRequest request =
                    SimpleRequest.newBuilder().setRequestMessage("acme").build();
            assertThat(quotes.unaryRpc(request).getResponseMessage()).isEqualTo("quote for acme");
            StatusRuntimeException failure =
                    catchThrowableOfType(StatusRuntimeException.class, () -> quotes.unaryRpc(request));
            assertThat(failure.getStatus().getCode()).isEqualTo(Code.RESOURCE_EXHAUSTED);
            Status status = StatusProto.fromThrowable(failure);
            assertThat(status.getDetails(0).unpack(RetryInfo.class).getRetryDelay().getSeconds())
                    .isBetween(3_000L, 3_600L);
        } finally {
            channel.shutdownNow();
        }
    }
}
