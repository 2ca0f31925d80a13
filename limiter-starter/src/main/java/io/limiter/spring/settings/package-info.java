/** What an application gets for a setting that is wrong. */
@NullMarked
package io.limiter.spring.settings;

import org.jspecify.annotations.NullMarked;
