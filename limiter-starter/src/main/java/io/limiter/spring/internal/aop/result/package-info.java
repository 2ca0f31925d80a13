/** How the result of a limited method comes: when its work is done, and what a rejected call gets instead. */
@NullMarked
package io.limiter.spring.internal.aop.result;

import org.jspecify.annotations.NullMarked;
