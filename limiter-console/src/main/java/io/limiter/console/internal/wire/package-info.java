/** What the page of the console reads and writes, as JSON. */
@NullMarked
package io.limiter.console.internal.wire;

import org.jspecify.annotations.NullMarked;
