/** The local engine: the same steps on a bounded map in this process. */
@NullMarked
package io.limiter.internal.local;

import org.jspecify.annotations.NullMarked;
