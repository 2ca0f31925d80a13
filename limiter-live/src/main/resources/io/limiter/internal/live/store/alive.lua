-- Counts the instances that are alive, this one included or, once it leaves, without it. In front of this stands clock.lua.
-- KEYS: instances. ARGV: instance, for how many milliseconds it counts, 0 if it leaves; 1 if the names of all are wanted.
-- A name ends with a colon and for how many milliseconds the instance counts.
-- RETURN: how many are alive, 1 if this one was not, the names.

local KEPT_MILLIS = 86400000

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('(%.0f', now))
local added = 0
if ARGV[2] == '0' then
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  local ends = string.format('%.0f', now + 1000 * tonumber(ARGV[2]))
  added = redis.call('ZADD', KEYS[1], ends, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], KEPT_MILLIS)
  -- After the clock was set back, the others would count until it has caught up, and those that ended would, too. So each of them counts
  -- from now on, for as long as its name says. Names of older versions do not say it.
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ends, '+inf')) do
    local counts = tonumber(string.match(other, ':(%d+)$'))
    if counts then
      redis.call('ZADD', KEYS[1], 'LT', string.format('%.0f', now + 1000 * counts), other)
    end
  end
end
return {
  string.format('%.0f', redis.call('ZCARD', KEYS[1])), string.format('%.0f', added),
  ARGV[3] == '1' and redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf') or {}
}
