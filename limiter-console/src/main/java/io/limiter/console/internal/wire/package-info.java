/** The JSON that the page of the console reads and writes. */
@NullMarked
package io.limiter.console.internal.wire;

import org.jspecify.annotations.NullMarked;
