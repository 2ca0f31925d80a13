/** Steps of limits for several requests at once, with fewer objects, and what sets of limits start with. */
@NullMarked
package io.limiter.internal.step;

import org.jspecify.annotations.NullMarked;
