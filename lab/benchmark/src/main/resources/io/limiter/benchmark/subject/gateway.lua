-- A token bucket that does what the one of Spring Cloud Gateway does: two keys, and a clock of whole seconds.
-- KEYS[1] the tokens, KEYS[2] when they were counted
-- ARGV[1] tokens added in a second, ARGV[2] tokens at the most, ARGV[3] tokens that a permit costs
-- returns whether it is granted (1 or 0) and the tokens left
local rate, capacity, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local second = tonumber(redis.call('TIME')[1])
local tokens = tonumber(redis.call('GET', KEYS[1])) or capacity
local counted = tonumber(redis.call('GET', KEYS[2])) or 0

tokens = math.min(capacity, tokens + math.max(0, second - counted) * rate)
local granted = tokens >= cost
if granted then
  tokens = tokens - cost
end

local lifetime = math.floor(2 * capacity / rate)
if lifetime > 0 then
  redis.call('SETEX', KEYS[1], lifetime, tokens)
  redis.call('SETEX', KEYS[2], lifetime, second)
end
return {granted and 1 or 0, tokens}
