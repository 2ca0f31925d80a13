/** The threads that the limiter starts, which inherit nothing from the callers that happen to start them. */
@NullMarked
package io.limiter.internal.thread;

import org.jspecify.annotations.NullMarked;
