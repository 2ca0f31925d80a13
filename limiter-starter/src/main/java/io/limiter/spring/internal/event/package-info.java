/** Publishes the events of limiters as application events. */
@NullMarked
package io.limiter.spring.internal.event;

import org.jspecify.annotations.NullMarked;
