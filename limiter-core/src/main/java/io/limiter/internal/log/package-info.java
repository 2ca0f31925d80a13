/** The log of the limiter, which has a thread of its own so that no caller waits for it. */
@NullMarked
package io.limiter.internal.log;

import org.jspecify.annotations.NullMarked;
