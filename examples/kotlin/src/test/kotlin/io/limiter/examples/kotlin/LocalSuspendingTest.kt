package io.limiter.examples.kotlin

import io.limiter.LimiterFactory
import io.limiter.local.LocalLimiterFactory

class LocalSuspendingTest : SuspendingContract() {

    override val limiters: LimiterFactory = LocalLimiterFactory()
}
