-- Stores or removes one live limit, if it has the expected version. In front of this stands clock.lua.
-- KEYS: limits, version, history. ARGV: 1 channel, 2 name, 3 expected version of the name or 0, 4 the newest version that the
-- writer knows, 5 stamp of the change, 6 how long it lasts or 0, 7 otherwise when it expires or 0 (both in microseconds),
-- 8 the limit or empty to remove it, 9 who and why.
-- The version of a store that was emptied goes on from what the writer knows. The stamp tells apart two changes of one
-- version, which are possible nevertheless.

local found = redis.call('HGET', KEYS[1], ARGV[2]) or ''
local expires = tonumber(string.match(found, '^%d+ %d+ (%d+) ') or '0')
if expires > 0 and expires <= now then
  found = ''
end
if (string.match(found, '^%d+') or '0') ~= ARGV[3] then
  return {'conflict', found}
end
if found == '' and ARGV[8] == '' then
  return {'nothing'}
end

local before = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+') or '0')
local version = string.format('%.0f', math.max(before, tonumber(ARGV[4])) + 1)
local at = string.format('%.0f', now)
local stored = ''
if ARGV[8] == '' then
  redis.call('HDEL', KEYS[1], ARGV[2])
else
  local ends = tonumber(ARGV[6]) > 0 and now + tonumber(ARGV[6]) or tonumber(ARGV[7])
  stored = version .. ' ' .. at .. ' ' .. string.format('%.0f', ends) .. ' ' .. ARGV[8]
  redis.call('HSET', KEYS[1], ARGV[2], stored)
end
redis.call('SET', KEYS[2], version .. ' ' .. ARGV[5])
local change = cjson.encode({version, ARGV[5], at, ARGV[2], ARGV[9], found, stored})
redis.call('LPUSH', KEYS[3], change)
redis.call('LTRIM', KEYS[3], 0, 49)
-- A hint. Without a right to the channel, instances see the change when they poll.
redis.pcall('PUBLISH', ARGV[1], version)
return {'done', change}
