/** The parameters with which annotations, properties, plans and live limits describe a limit, and how they become one. */
@NullMarked
package io.limiter.internal.parameters;

import org.jspecify.annotations.NullMarked;
