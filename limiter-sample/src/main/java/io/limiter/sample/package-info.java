/** A sample application with limited endpoints. */
@NullMarked
package io.limiter.sample;

import org.jspecify.annotations.NullMarked;
