/** The log of the limiter, which no caller waits for. */
@NullMarked
package io.limiter.internal.log;

import org.jspecify.annotations.NullMarked;
