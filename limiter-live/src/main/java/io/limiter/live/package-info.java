/** The API of live limits: changes to the limits of a running fleet, and the reports of its instances. */
@NullMarked
package io.limiter.live;

import org.jspecify.annotations.NullMarked;
