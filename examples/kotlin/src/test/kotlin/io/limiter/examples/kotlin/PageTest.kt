package io.limiter.examples.kotlin

import io.limiter.ConcurrencyLimiter
import io.limiter.RateLimiter
import io.limiter.algorithm.ConcurrencyLimit
import io.limiter.algorithm.TokenBucket
import io.limiter.local.LocalLimiterFactory
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.nio.file.Path
import kotlin.io.path.readText
import kotlin.time.Duration.Companion.seconds

/** What the page of Kotlin shows. */
class PageTest {

    private val written = mutableListOf<String>()

    private fun write(report: String) = written.add(report)

    private suspend fun call(calls: RateLimiter, codes: RateLimiter, reports: ConcurrencyLimiter): String {
        val tenant = "acme"
        val phone = "0171"
        val report = "june"
        // page
        calls.on(tenant).acquireSuspending()
        if (!codes.on(phone).tryAcquireSuspending(timeout = 2.seconds)) return "later"
        reports.withPermit(timeout = 5.seconds) { write(report) }
        // end
        return "done"
    }

    @Test
    fun `the lines of the page run`() = runBlocking<Unit> {
        val limiters = LocalLimiterFactory()
        val calls = limiters.build("calls", TokenBucket.perSecond(10.0))
        val codes = limiters.build("codes", 1.0 / 3600, 3600.0, 60)
        val reports = limiters.build("reports", ConcurrencyLimit.of(1))
        assertThat(call(calls, codes, reports)).isEqualTo("done")
        assertThat(call(calls, codes, reports)).isEqualTo("later")
        assertThat(written).containsExactly("june")
    }

    @Test
    fun `the page shows them, and the functions`() {
        val lines = Path.of("src/test/kotlin/io/limiter/examples/kotlin/PageTest.kt").readText()
            .substringAfter("// page\n").substringBefore("        // end").trimIndent()
        val functions = Path.of("src/main/kotlin/io/limiter/examples/kotlin/SuspendingLimiters.kt").readText()
            .substringAfter("package io.limiter.examples.kotlin\n").trim()
        assertThat(Path.of("../../docs/kotlin.md").readText())
            .contains("```kotlin\n$lines\n```")
            .contains("```kotlin\n$functions\n```")
    }
}
