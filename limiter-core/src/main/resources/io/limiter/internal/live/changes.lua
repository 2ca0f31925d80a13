-- What the scripts that store live limits share.
-- A stored live limit is its version, the time of the change, when it ends or 0 (both in microseconds), and JSON, with "removed" in
-- front of the JSON after it was removed. Redis keeps that for a while, so that an older copy does not bring the limit back.

-- Of a text that is nothing of this, version 0 and times of 0: every change is newer.
local function parse(stored)
  local version, at, ends = string.match(stored, '^(%d+) (%d+) (%d+) ')
  if not version or #version > 15 or #at > 16 or #ends > 16 then
    return '0', 0, 0
  end
  return version, tonumber(at), tonumber(ends)
end

-- The stored live limit if it is in effect, or cannot be read; otherwise empty.
local function current(stored, now)
  local _, _, ends = parse(stored)
  local ended = ends > 0 and ends <= now or string.find(stored, '^%d+ %d+ %d+ removed ')
  return ended and '' or stored
end

local function store_version()
  local version = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ')
  return version and #version <= 15 and tonumber(version) or 0
end

-- Adds a change to the history, which has all changes by version, and of each name the versions of those that it keeps.
local function add_change(version, stamp, name, note, before, after, kept)
  local _, at = parse(after)
  local change = cjson.encode({version, stamp, string.format('%.0f', at), name, note, before, after})
  local versions = KEYS[3] .. ':' .. name
  redis.call('ZADD', KEYS[3], version, change)
  redis.call('RPUSH', versions, version)
  while redis.call('LLEN', versions) > tonumber(kept) do
    local oldest = redis.call('LPOP', versions)
    redis.call('ZREMRANGEBYSCORE', KEYS[3], oldest, oldest)
  end
  return change
end
