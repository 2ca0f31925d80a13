/** What a factory knows of each name: the limiters that have it, what they have counted, and what changes their limits after they were built. */
@NullMarked
package io.limiter.internal.named;

import org.jspecify.annotations.NullMarked;
