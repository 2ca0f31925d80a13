/** Steps of limits for several requests at once, with fewer objects. */
@NullMarked
package io.limiter.internal.step;

import org.jspecify.annotations.NullMarked;
