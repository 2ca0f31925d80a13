package io.limiter.examples.listeners;

import io.limiter.Decision;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.stereotype.Component;

@Component
class JmsOrders {

    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final RateLimiter limiter;

    JmsOrders(LimiterFactory limiters) {
        this.limiter = limiters.build("orders", TokenBucket.perSecond(5).withCapacity(1));
    }

    // listeners: jms
    @JmsListener(destination = "orders")
    public void onOrder(TextMessage order, Session session) throws JMSException {
        Decision decision = limiter.decide();
        if (decision.isGranted()) {
            handle(order.getText());
            return;
        }
        try (MessageProducer later = session.createProducer(order.getJMSDestination())) {
            later.setDeliveryDelay(decision.retryAfter().orElseThrow().toMillis() + 1);
            later.send(order);
        }
    }
    // end

    List<String> handled() {
        return handled;
    }

    private void handle(String order) {
        handled.add(order);
    }
}
