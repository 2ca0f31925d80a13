-- What the scripts of all kinds of limit do with their replies.

-- A decision that could not be saved was not made: the problem takes the place of all replies from first_reply on.
local function replace_if_failed(reply, first_reply, problem)
  if problem then
    for i = #reply, first_reply + 1, -1 do
      reply[i] = nil
    end
    reply[first_reply] = problem
  end
end
