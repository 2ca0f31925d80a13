/** How annotations, properties, plans and live limits describe a limit, and the limit of such a description. */
@NullMarked
package io.limiter.internal.parameters;

import org.jspecify.annotations.NullMarked;
