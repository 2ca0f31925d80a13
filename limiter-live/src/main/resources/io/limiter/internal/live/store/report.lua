-- Stores the report of an instance, with the server time. In front of this stands clock.lua.
-- KEYS: fleet. ARGV: instance, report, for how many milliseconds it is kept at least.

redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now) .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'1'}
