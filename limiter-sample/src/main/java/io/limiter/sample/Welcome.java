package io.limiter.sample;

import java.net.URI;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/** Prints the URL and calls to try. */
class Welcome implements ApplicationListener<ApplicationReadyEvent> {

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        Environment environment = event.getApplicationContext().getEnvironment();
        String here = "http://localhost:" + environment.getProperty("local.server.port");
        // The URL may have a password.
        String redis = environment.containsProperty("spring.data.redis.url")
                ? URI.create(environment.getRequiredProperty("spring.data.redis.url"))
                        .getHost()
                : environment.getProperty("spring.data.redis.host", "localhost") + ":"
                        + environment.getProperty("spring.data.redis.port", "6379");
        System.out.printf("""

                The limits are in Redis at %2$s. Press the buttons at %1$s/, see them in the console at
                %1$s/limiter (user operator, password %3$s), or try:

                  curl -i %1$s/limiter/rate                          1 per 5 s, shared by all callers
                  curl -i %1$s/limiter/rate2                         the same, programmatically
                  curl -i '%1$s/limiter/count?key=a'                 2 in 10 s, for each key
                  curl -i %1$s/limiter/ip                            3 in 10 s, for each IP
                  curl -i '%1$s/limiter/user?user=ann'               3 in 10 s, for each user
                  curl -i '%1$s/limiter/search?user=ann'             1 per s and 5 in 60 s, for each user
                  curl -i '%1$s/limiter/plan?user=ann&plan=pro'      5 in 10 s for each user of the plan, 2 for others
                  curl -i %1$s/tenants/acme                          2 per s for acme (free), 10 for globex, 50 for initech
                  curl -i %1$s/limiter/log                           3 in any 10 s, shared by all callers
                  curl -i '%1$s/limiter/import?rows=7'               10 rows in a row, 1 per s
                  curl -i %1$s/limiter/report                        1 at a time; takes 3 s
                  curl -i -d phone=0171 %1$s/sms/code                1 in 60 s, for each phone number

                Another instance shares them: add -Dspring-boot.run.arguments=--server.port=8081 to the command.
                """, here, redis, environment.getRequiredProperty("sample.console.password"));
    }
}
