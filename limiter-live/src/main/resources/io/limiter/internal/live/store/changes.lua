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

-- What all instances hash keys with. In the hash of the limits, so that Redis has both or neither. Names have no control character.
-- It starts with the time at which it was made.
local SECRET = '\t'

-- One that the caller knows is that of live limits that may come back.
local function make_secret(limits, known, random)
  if not redis.call('HGET', limits, SECRET) then
    redis.call('HSET', limits, SECRET, known ~= '' and known or string.format('%016.0f ', now) .. random)
  end
end

-- Whether a field is of a key that is stored hashed.
local function is_of_hash(field)
  return string.find(field, '\t\t', 1, true) ~= nil
end

-- How many live limits are stored, without the secret.
local function size_of(limits)
  return redis.call('HLEN', limits) - (redis.call('HGET', limits, SECRET) and 1 or 0)
end

local KEPT_OF_KEYS = 10000

-- Whether a field is of a key, and not of a name.
local function is_of_key(field)
  return string.find(field, '\t', 1, true) ~= nil
end

-- If only the limits were lost, those of keys are counted again.
local function count_lost(limits)
  if size_of(limits) == 0 then
    redis.call('DEL', KEYS[4])
  end
end

-- Records until when a live limit of a key is in effect: there is a bound on how many are.
local function count_key(field, stored)
  if string.find(stored, '^%d+ %d+ %d+ removed ') then
    redis.call('ZREM', KEYS[4], field)
  else
    local _, _, ends = parse(stored)
    redis.call('ZADD', KEYS[4], ends > 0 and string.format('%.0f', ends) or '+inf', field)
  end
end

-- Adds a change to the history, which has all changes by version, and of each name the versions of those that it keeps. Keys
-- come and go, so the history keeps the last ones of all keys together.
local function add_change(version, stamp, name, note, before, after, kept)
  local _, at = parse(after)
  local change = cjson.encode({version, stamp, string.format('%.0f', at), name, note, before, after})
  local versions = KEYS[3] .. ':' .. name
  if is_of_key(name) then
    versions, kept = KEYS[3] .. ':' .. SECRET, KEPT_OF_KEYS
  end
  redis.call('ZADD', KEYS[3], version, change)
  redis.call('RPUSH', versions, version)
  while redis.call('LLEN', versions) > tonumber(kept) do
    local oldest = redis.call('LPOP', versions)
    redis.call('ZREMRANGEBYSCORE', KEYS[3], oldest, oldest)
  end
  return change
end
