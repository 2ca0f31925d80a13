/** Redis servers, JVMs with callers, a network and a clock, each of which can be made to fail. */
@NullMarked
package io.limiter.faults.process;

import org.jspecify.annotations.NullMarked;
