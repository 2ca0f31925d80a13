package io.limiter.examples.kotlin

import io.limiter.ConcurrencyLimiter
import io.limiter.Lease
import io.limiter.Limiter
import io.limiter.RateLimitExceededException
import io.limiter.RateLimiter
import io.limiter.Decision
import java.util.concurrent.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlin.time.toKotlinDuration

/**
 * Takes permits, suspending until they come due. Blocks no thread.
 *
 * A coroutine that is cancelled while it waits returns its permits. Once they are granted they are spent, even if it is cancelled
 * before its dispatcher resumes it.
 *
 * @param permits at least 1
 * @return the time waited
 * @throws RateLimitExceededException immediately if it would take longer than the `maxWait` of the limit
 */
suspend fun RateLimiter.acquireSuspending(permits: Long = 1): Duration =
    async().acquire(permits).await().toKotlinDuration()

/**
 * Takes all of the permits if they become available within the timeout, suspending until then, or none. Blocks no thread.
 *
 * A coroutine that is cancelled while it waits returns its permits. Once they are granted they are spent, even if it is cancelled
 * before its dispatcher resumes it.
 *
 * @param permits at least 1
 * @param timeout how long to wait at most, or zero to not wait
 */
suspend fun Limiter.tryAcquireSuspending(permits: Long = 1, timeout: Duration = Duration.ZERO): Boolean =
    decideSuspending(permits, timeout).isGranted

/**
 * As [tryAcquireSuspending], but returns the whole decision with the remaining permits and the retry-after.
 *
 * @param permits at least 1
 * @param timeout how long to wait at most, or zero to not wait
 */
suspend fun Limiter.decideSuspending(permits: Long = 1, timeout: Duration = Duration.ZERO): Decision =
    async().decide(permits, timeout.toJavaDuration()).await()

/**
 * Runs the block while it holds permits, and releases them when it ends, fails or is cancelled. Blocks no thread.
 *
 * The lease tells the block whether the permits are still held, because they are lost if they cannot be renewed in time.
 *
 * @param permits at least 1
 * @param timeout how long to wait for permits at most, or zero to not wait
 * @throws RateLimitExceededException if rejected, in which case the block does not run
 */
suspend fun <T> ConcurrencyLimiter.withPermit(
    permits: Long = 1,
    timeout: Duration = Duration.ZERO,
    block: suspend (Lease) -> T,
): T {
    val pending = async().acquire(permits, timeout.toJavaDuration())
    val lease = try {
        pending.await()
    } catch (e: CancellationException) {
        // Granted, and cancelled before the coroutine resumed.
        pending.thenAccept { it.closeAsync() }
        throw e
    }
    try {
        return block(lease)
    } finally {
        withContext(NonCancellable) { lease.closeAsync().await() }
    }
}
