package io.limiter.spring.client;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

/** Counts pauses in {@code limiter.client.pauses}, by client. */
final class PauseMeter implements ApplicationListener<PayloadApplicationEvent<ClientPausedEvent>> {

    private final ObjectProvider<MeterRegistry> registry;

    PauseMeter(ObjectProvider<MeterRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<ClientPausedEvent> event) {
        String client = event.getPayload().client();
        registry.ifUnique(meters ->
                meters.counter("limiter.client.pauses", "client", client).increment());
    }
}
