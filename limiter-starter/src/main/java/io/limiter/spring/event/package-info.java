/** Events of limiters as application events. */
@NullMarked
package io.limiter.spring.event;

import org.jspecify.annotations.NullMarked;
