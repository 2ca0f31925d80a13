package io.limiter.kotlin

import io.limiter.local.LocalLimiterFactory

class LocalSuspendingTest : SuspendingContract() {

    override val limiters = LocalLimiterFactory()
}
