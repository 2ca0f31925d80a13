package io.limiter.examples.kotlin

import io.limiter.RateLimitExceededException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest

/** Coroutines: suspend functions and flows. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE, properties = ["limiter.type=local"])
class ReportsTest {

    @Autowired
    private lateinit var reports: Reports

    @Test
    fun `a permit is held while the function is suspended`() = runBlocking<Unit> {
        // All on one thread: a function that blocked it would let the third begin after the first two had ended.
        val results = List(3) { async { createOrRefuse() } }.awaitAll()
        assertThat(results).containsExactlyInAnyOrder(
            "report for ann",
            "report for ann",
            "of 2 reports none is free",
        )
        assertThat(reports.create("ann")).isEqualTo("report for ann")
    }

    private suspend fun createOrRefuse() = try {
        reports.create("ann")
    } catch (rejection: RateLimitExceededException) {
        "of ${rejection.decision().limit()} reports none is free"
    }

    @Test
    fun `each collection of a flow takes a permit`() = runBlocking<Unit> {
        val ticks = reports.ticks("bob")
        assertThat(ticks.toList()).containsExactly("bob", "bob")
        assertThrows<RateLimitExceededException> { runBlocking { ticks.toList() } }
    }
}
