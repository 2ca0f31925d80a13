/** The threads that the limiter starts. */
@NullMarked
package io.limiter.internal.thread;

import org.jspecify.annotations.NullMarked;
