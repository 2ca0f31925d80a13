package io.limiter.examples.kotlin

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.boot.test.web.server.LocalServerPort
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse

/** With permits in the process, so that the test needs no Redis. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = ["limiter.type=local", "limiter.limits.codes.per=1h"],
)
class CodeControllerTest {

    @LocalServerPort
    private var port = 0

    @Test
    fun `each phone number has permits of its own`() {
        assertThat(send("0171")).isEqualTo(200)
        assertThat(send("0171")).isEqualTo(429)
        assertThat(send("0172")).isEqualTo(200)
    }

    private fun send(phone: String): Int {
        val request = HttpRequest.newBuilder(URI.create("http://localhost:$port/codes?phone=$phone"))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build()
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).statusCode()
    }
}
