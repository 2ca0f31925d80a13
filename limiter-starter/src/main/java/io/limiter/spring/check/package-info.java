/**
 * One check of the limits of a call or a request, the same for annotated methods and HTTP rules: what is decided, in shadow
 * mode or enforced, what is recorded of it, and what a rejected caller gets.
 */
@NullMarked
package io.limiter.spring.check;

import org.jspecify.annotations.NullMarked;
