-- Reads what has changed. In front of this stand clock.lua and changes.lua.
-- KEYS: limits, version, history, watched, instances. ARGV: the version and the stamp that the reader has, whether it has limits that
-- must be here, and the names of expired limits.

-- Each read uses the limits, so that Redis would rather evict what is not read.
local size = size_of(KEYS[1])
local lost = size == 0 and ARGV[3] == '1'
for i = 4, #ARGV do
  local found = redis.call('HGET', KEYS[1], ARGV[i])
  local expires = found and tonumber(string.match(found, '^%d+ %d+ (%d+) ')) or 0
  if expires > 0 and expires <= now then
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end

-- More changes than that are more to read than all limits.
local MOST = math.max(50, math.floor(size / 2))

local function is_change(entry, version, stamp)
  local readable, change = pcall(cjson.decode, entry)
  return readable and type(change) == 'table' and change[1] == version and change[2] == stamp
end

-- Whether the history has this change.
local function has_change(version, stamp)
  for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], version, version)) do
    if is_change(entry, version, stamp) then
      return true
    end
  end
  return false
end

-- Whether the history has all changes of keys after a version.
local function has_keys_since(version)
  local versions = KEYS[3] .. ':' .. SECRET
  return redis.call('LLEN', versions) < KEPT_OF_KEYS
    or tonumber(version) >= tonumber(redis.call('LINDEX', versions, 0))
end

local version, stamp, restored = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) (%S+) ?(%d*)')
if not version or #version > 15 then
  version, stamp = '0', ''
end
local changes, all = {}, {}
local complete = version == ARGV[1] and stamp == ARGV[2]
local behind = false
if not complete then
  -- Without the newest change, the history is not of these limits; without the reader's, it does not say what that has missed.
  -- What was restored may have older versions than a reader that lacks it.
  local since = tonumber(ARGV[1]) > (tonumber(restored) or 0)
  behind = since and has_change(version, stamp) and has_change(ARGV[1], ARGV[2])
  if behind and has_keys_since(ARGV[1]) then
    changes = redis.call('ZREVRANGEBYSCORE', KEYS[3], version, '(' .. ARGV[1], 'LIMIT', 0, MOST)
    complete = #changes < MOST
  end
  if not complete then
    changes, all = {}, redis.call('HGETALL', KEYS[1])
  end
end
if lost then
  complete, behind = false, false
end
-- A key of another type concerns the count alone.
local alive = redis.pcall('ZCARD', KEYS[5])
return {
  version, stamp, string.format('%.0f', now), redis.call('GET', KEYS[4]) or '', complete and '1' or '0', changes, all,
  redis.call('HGET', KEYS[1], SECRET) or '', type(alive) == 'number' and string.format('%.0f', alive) or '0',
  behind and '1' or '0'
}
