-- Reads what has changed. In front of this stands clock.lua.
-- KEYS: limits, version, history, watched. ARGV: the version and the stamp that the reader has, whether it has limits that
-- must be here, and the names of expired limits.

-- Each read uses the limits, so that Redis would rather evict what is not read.
local lost = redis.call('HLEN', KEYS[1]) == 0 and ARGV[3] == '1'
for i = 4, #ARGV do
  local found = redis.call('HGET', KEYS[1], ARGV[i])
  local expires = found and tonumber(string.match(found, '^%d+ %d+ (%d+) ')) or 0
  if expires > 0 and expires <= now then
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end

local version, stamp = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) (%S+)')
version, stamp = version or '0', stamp or ''
local changes, all = {}, {}
local complete = version == ARGV[1] and stamp == ARGV[2]
if not complete then
  for i, entry in ipairs(redis.call('LRANGE', KEYS[3], 0, -1)) do
    local change = cjson.decode(entry)
    if i == 1 and (change[1] ~= version or change[2] ~= stamp) then
      -- The history is not of these limits.
      break
    elseif change[1] == ARGV[1] then
      complete = change[2] == ARGV[2]
      break
    end
    changes[#changes + 1] = entry
  end
  if not complete then
    all = redis.call('HGETALL', KEYS[1])
  end
end
if lost then
  complete = false
end
return {
  version, stamp, string.format('%.0f', now), redis.call('GET', KEYS[4]) or '', complete and '1' or '0', changes, all
}
