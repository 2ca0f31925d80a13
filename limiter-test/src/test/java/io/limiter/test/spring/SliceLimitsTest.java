package io.limiter.test.spring;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.limiter.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.MockMvc;

@WebMvcTest(LimitedApplication.Controller.class)
@AutoConfigureLimiter
@TestPropertySource(
        properties = {
            "limiter.http.page.path=/page",
            "limiter.http.page.limits.all.limit=1",
            "limiter.http.page.limits.all.per=10s"
        })
class SliceLimitsTest {

    @Test
    void a_slice_has_limits(@Autowired MockMvc http, @Autowired TestClock clock) throws Exception {
        for (String path : new String[] {"/code?phone=1", "/page"}) {
            http.perform(get(path)).andExpect(status().isOk());
            http.perform(get(path)).andExpect(status().isTooManyRequests());
            clock.advance(Duration.ofMinutes(1));
            http.perform(get(path)).andExpect(status().isOk());
        }
    }
}
