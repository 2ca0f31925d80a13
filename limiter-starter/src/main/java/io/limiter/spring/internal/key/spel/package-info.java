/** Keys, costs and conditions as annotations and configuration write them, with expressions that can only read. */
@NullMarked
package io.limiter.spring.internal.key.spel;

import org.jspecify.annotations.NullMarked;
