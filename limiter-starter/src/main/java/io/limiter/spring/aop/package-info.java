/** The advisor that limits annotated methods, for applications that replace it or order other advice by it. */
@NullMarked
package io.limiter.spring.aop;

import org.jspecify.annotations.NullMarked;
