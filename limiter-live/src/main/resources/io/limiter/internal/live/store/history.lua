-- A page of the history, newest first: changes, each followed by its version.
-- KEYS: history. ARGV: the version that all are below, or 0; how many. Changes with the version of the last one are all in the page.

local below = ARGV[1] == '0' and '+inf' or '(' .. ARGV[1]
local page = redis.call('ZREVRANGEBYSCORE', KEYS[1], below, '-inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
if #page == 0 then
  return {}
end
return redis.call('ZREVRANGEBYSCORE', KEYS[1], below, page[#page], 'WITHSCORES')
