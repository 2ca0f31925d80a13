-- Stores or removes one live limit, if it has the expected version. In front of this stand clock.lua and changes.lua.
-- KEYS: limits, version, history, keys. ARGV: 1 channel, 2 name, and key if it is for one, 3 expected version of the name or 0, 4 the newest version that the
-- writer knows, 5 stamp of the change, 6 how long it lasts or 0, 7 otherwise when it ends or 0 (both in microseconds), 8 the limit,
-- or empty to remove it, 9 who and why, 10 how many changes of the name to keep, 11 how
-- many live limits of keys there may be, 12 the secret that the writer hashes keys with or empty.
-- The version of a store that was emptied goes on from what the writer knows. The stamp tells apart two changes of one
-- version, which are possible nevertheless. Who writes a key by its hash has to know the secret: by another one, or by none, no
-- instance finds it.

local secret = redis.call('HGET', KEYS[1], SECRET)
if is_of_hash(ARGV[2]) and (secret and secret ~= ARGV[12] or ARGV[12] == '' and ARGV[8] ~= '') then
  return {'secret'}
end
local stored = redis.call('HGET', KEYS[1], ARGV[2]) or ''
local found = current(stored, now)
if (found == '' and '0' or parse(found)) ~= ARGV[3] then
  return {'conflict', found}
end
if found == '' and ARGV[8] == '' then
  return {'nothing'}
end
count_lost(KEYS[1])
local of_key = is_of_key(ARGV[2])
if of_key and found == '' then
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', string.format('%.0f', now))
  if redis.call('ZCARD', KEYS[4]) >= tonumber(ARGV[11]) then
    return {'full'}
  end
end

local version = string.format('%.0f', math.max(store_version(), tonumber(ARGV[4])) + 1)
-- The newer of two changes of a name is the later one, so it is later than what it replaces, whatever the clock shows.
local _, last = parse(stored)
local at = math.max(now, last + 1)
local lasts, ends = tonumber(ARGV[6]), tonumber(ARGV[7])
local limit = ARGV[8]
if limit == '' then
  limit = 'removed ' .. ARGV[9]
end
local after = string.format('%s %.0f %.0f %s', version, at, lasts > 0 and at + lasts or ends, limit)
redis.call('HSET', KEYS[1], ARGV[2], after)
if not secret and ARGV[12] ~= '' then
  redis.call('HSET', KEYS[1], SECRET, ARGV[12])
end
if of_key then
  count_key(ARGV[2], after)
end
local restored = string.match(redis.call('GET', KEYS[2]) or '', '^%d+ %S+ (%d+)') or '0'
redis.call('SET', KEYS[2], version .. ' ' .. ARGV[5] .. ' ' .. restored)
local change = add_change(version, ARGV[5], ARGV[2], ARGV[9], found, after, ARGV[10])
-- A hint. Without a right to the channel, instances see the change when they poll.
redis.pcall('PUBLISH', ARGV[1], version)
return {'done', change}
