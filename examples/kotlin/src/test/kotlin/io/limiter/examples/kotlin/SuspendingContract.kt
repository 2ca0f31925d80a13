package io.limiter.examples.kotlin

import io.limiter.LimiterFactory
import io.limiter.RateLimitExceededException
import io.limiter.algorithm.ConcurrencyLimit
import io.limiter.algorithm.TokenBucket
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import java.util.UUID
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.minutes
import java.time.Duration as JavaDuration

/** What holds in one process and over Redis. */
abstract class SuspendingContract {

    abstract val limiters: LimiterFactory

    private val name = UUID.randomUUID().toString()
    private val hourly by lazy { limiters.build(name, TokenBucket.per(1.0, JavaDuration.ofHours(1)).withCapacity(1.0)) }
    private val single by lazy { limiters.build(name, ConcurrencyLimit.of(1)) }

    @Test
    fun `what is available is taken at once`() = runBlocking<Unit> {
        assertThat(hourly.acquireSuspending()).isEqualTo(Duration.ZERO)
        assertThat(hourly.on("ann").tryAcquireSuspending()).isTrue()
        assertThat(hourly.on("ann").tryAcquireSuspending(timeout = 1.minutes)).isFalse()
        val rejection = hourly.on("ann").decideSuspending()
        assertThat(rejection.isGranted).isFalse()
        assertThat(rejection.retryAfter()).isPresent()
    }

    @Test
    fun `what would take too long is rejected at once`() = runBlocking<Unit> {
        hourly.acquireSuspending()
        assertThrows<RateLimitExceededException> { runBlocking { hourly.acquireSuspending(permits = 100) } }
    }

    @Test
    fun `a coroutine waits without its thread, and returns its permits when it is cancelled`() = runBlocking<Unit> {
        hourly.acquireSuspending()
        // It begins in this thread, which goes on when it is suspended.
        val waiting = launch(start = CoroutineStart.UNDISPATCHED) { hourly.tryAcquireSuspending(timeout = 2.hours) }
        await().until { hourly.peek().retryAfter().get() > JavaDuration.ofHours(1) }
        assertThat(waiting.isActive).isTrue()
        waiting.cancelAndJoin()
        await().until { hourly.peek().retryAfter().get() <= JavaDuration.ofHours(1) }
    }

    @Test
    fun `a permit is held while the block is suspended`() = runBlocking<Unit> {
        val result = single.withPermit { lease ->
            assertThat(lease.isHeld).isTrue()
            assertThrows<RateLimitExceededException> { runBlocking { single.withPermit { } } }
            "done"
        }
        assertThat(result).isEqualTo("done")
        assertThat(single.inUse()).isZero()
    }

    @Test
    fun `a block waits for the permit of another`() = runBlocking<Unit> {
        val lease = single.acquire()
        val waiting = async(start = CoroutineStart.UNDISPATCHED) { single.withPermit(timeout = 1.minutes) { "done" } }
        assertThat(waiting.isActive).isTrue()
        lease.close()
        assertThat(waiting.await()).isEqualTo("done")
    }

    @Test
    fun `a block that fails releases its permit`() = runBlocking<Unit> {
        assertThrows<IllegalStateException> { runBlocking { single.withPermit { error("failed") } } }
        assertThat(single.inUse()).isZero()
    }

    @Test
    fun `a block that is cancelled releases its permit`() = runBlocking<Unit> {
        val held = CountDownLatch(1)
        val block = launch(Dispatchers.Default) {
            single.withPermit {
                held.countDown()
                awaitCancellation()
            }
        }
        held.await()
        assertThat(single.inUse()).isOne()
        block.cancelAndJoin()
        assertThat(single.inUse()).isZero()
    }

    @Test
    fun `a permit that is granted to a cancelled coroutine is released`() {
        val tasks = Tasks()
        val lease = single.acquire()
        val waiting = CoroutineScope(tasks).launch { single.withPermit(timeout = 1.minutes) { error("runs") } }
        tasks.next()
        lease.close()
        await().until { tasks.queue.isNotEmpty() }
        waiting.cancel()
        assertThat(single.inUse()).isOne()
        tasks.next()
        await().until { single.inUse() == 0L }
        assertThat(waiting.isCancelled).isTrue()
    }

    /** Runs tasks when a test says so. */
    private class Tasks : CoroutineDispatcher() {

        val queue = ConcurrentLinkedQueue<Runnable>()

        override fun dispatch(context: CoroutineContext, block: Runnable) {
            queue.add(block)
        }

        fun next() = queue.remove().run()
    }
}
