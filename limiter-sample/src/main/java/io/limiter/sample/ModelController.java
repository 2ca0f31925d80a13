package io.limiter.sample;

import io.limiter.spring.web.RuleLimits;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A language model, which says at the end of each answer how many tokens it took. Its rule is in {@code application.properties}. */
@RestController
@RequestMapping("/quotas/model")
class ModelController {

    private static final long MILLIS_PER_WORD = 100;

    private final RuleLimits limits;

    ModelController(RuleLimits limits) {
        this.limits = limits;
    }

    @GetMapping
    void answer(@RequestParam String question, HttpServletResponse response) throws IOException, InterruptedException {
        response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
        PrintWriter out = response.getWriter();
        String[] words = ("You asked: " + question).split(" ");
        for (String word : words) {
            out.print("data: {\"text\":\"" + word.replaceAll("[\"\\\\\\p{Cntrl}]", "") + " \"}\n\n");
            out.flush();
            Thread.sleep(MILLIS_PER_WORD);
        }
        out.print("data: {\"usage\":{\"total_tokens\":" + 2 * words.length + "}}\n\ndata: [DONE]\n\n");
    }

    /** What the caller has left, which the model's limit itself says. */
    @GetMapping("/left")
    List<RuleLimits.Left> left() {
        return limits.peek("model");
    }
}
