package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Outgoing calls of Feign clients that Spring Cloud OpenFeign builds, in an application whose own callers see what becomes of them. */
class OpenFeignTest {

    @FeignClient(name = "maps", url = "${maps.url}")
    interface Maps {

        @GetMapping("/map")
        String map();
    }

    @FeignClient(name = "tiles", url = "${maps.url}")
    interface Tiles {

        @GetMapping("/tile")
        String tile();
    }

    @RestController
    @EnableFeignClients(clients = {Maps.class, Tiles.class})
    static class Application extends TestGateway.Plain {

        private final Maps maps;
        private final Tiles tiles;

        Application(Maps maps, Tiles tiles) {
            this.maps = maps;
            this.tiles = tiles;
        }

        @GetMapping("/map")
        String map() {
            return "map " + maps.map();
        }

        @GetMapping("/tile")
        String tile() {
            return "tile " + tiles.tile();
        }
    }

    private static TestGateway start() {
        String upstream = TestGateway.upstreamUri();
        return TestGateway.Server.WEBMVC.start(
                Application.class,
                List.of(
                        "limiter.type=local",
                        "maps.url=" + upstream,
                        "limiter.clients.maps.timeout=0",
                        "limiter.clients.maps.limits.day.limit=2",
                        "limiter.clients.maps.limits.day.per=1d",
                        "limiter.clients.partner.hosts=" + upstream.replace("http://", ""),
                        "limiter.clients.partner.timeout=0",
                        "limiter.clients.partner.limits.day.limit=4",
                        "limiter.clients.partner.limits.day.per=1d"));
    }

    @Test
    void they_have_the_limits_of_their_name_and_host_and_a_rejection_answers_503() {
        try (TestGateway application = start()) {
            int before = TestGateway.served();
            assertThat(application.sendWithoutKey("/map").statusCode()).isEqualTo(200);
            assertThat(application.sendWithoutKey("/map").statusCode()).isEqualTo(200);
            HttpResponse<String> ofName = application.sendWithoutKey("/map");
            assertThat(ofName.statusCode()).isEqualTo(503);
            assertThat(ofName.headers().firstValue("Retry-After")).isPresent();
            assertThat(application.sendWithoutKey("/tile").statusCode()).isEqualTo(200);
            assertThat(application.sendWithoutKey("/tile").statusCode()).isEqualTo(200);
            assertThat(application.sendWithoutKey("/tile").statusCode()).isEqualTo(503);
            assertThat(TestGateway.served() - before).isEqualTo(4);
        }
    }
}
