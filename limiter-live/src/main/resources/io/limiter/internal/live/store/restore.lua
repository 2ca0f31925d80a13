-- Writes back what Redis has lost of the copy of an instance: of each name, the newer change stays. In front of this stand clock.lua
-- and changes.lua.
-- KEYS: limits, version, history, keys. ARGV: 1 channel, 2 version of the copy, 3 a new stamp, 4 how many changes of each name to keep,
-- 5 the secret of the copy or empty, then names, their live limits, and who and why. Returns the names that it has restored.

local function is_newer(one, other)
  local version, at = parse(one)
  local other_version, other_at = parse(other)
  if at ~= other_at then
    return at > other_at
  elseif version ~= other_version then
    return tonumber(version) > tonumber(other_version)
  end
  return one > other
end

local function is_in_history(version, name, after)
  for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], version, version)) do
    local readable, change = pcall(cjson.decode, entry)
    if readable and type(change) == 'table' and change[4] == name and change[7] == after then
      return true
    end
  end
  return false
end

local function has_hashed_keys(limits, first, step)
  for i = first, #limits, step do
    if is_of_hash(limits[i]) and current(limits[i + 1], now) ~= '' then
      return true
    end
  end
  return false
end

-- Of two secrets under which live limits are in effect the newer one stays, and those of the other are lost; otherwise that of the
-- copy, so that those of the copy stay valid.
local secret = redis.call('HGET', KEYS[1], SECRET)
if ARGV[5] ~= '' and secret ~= ARGV[5] then
  local stored = redis.call('HGETALL', KEYS[1])
  if not secret or not has_hashed_keys(stored, 1, 2) or secret < ARGV[5] and has_hashed_keys(ARGV, 6, 3) then
    secret = ARGV[5]
    redis.call('HSET', KEYS[1], SECRET, secret)
    for i = 1, #stored, 2 do
      if is_of_hash(stored[i]) then
        redis.call('HDEL', KEYS[1], stored[i])
        redis.call('ZREM', KEYS[4], stored[i])
      end
    end
  end
end
count_lost(KEYS[1])
local restored = {}
for i = 6, #ARGV, 3 do
  local name, after = ARGV[i], ARGV[i + 1]
  local found = redis.call('HGET', KEYS[1], name) or ''
  -- No instance would find a key by the hash of another secret.
  local is_lost = is_of_hash(name) and secret ~= ARGV[5]
  if not is_lost and is_newer(after, found) then
    local version = parse(after)
    redis.call('HSET', KEYS[1], name, after)
    if is_of_key(name) then
      count_key(name, after)
    end
    if not is_in_history(version, name, after) then
      add_change(version, ARGV[3], name, ARGV[i + 2], current(found, now), after, ARGV[4])
    end
    restored[#restored + 1] = name
  end
end
if #restored > 0 then
  -- Instances that know no newer version than this, with this stamp, read all.
  local version = math.max(store_version(), tonumber(ARGV[2]))
  redis.call('SET', KEYS[2], string.format('%.0f %s %.0f', version, ARGV[3], version))
  redis.pcall('PUBLISH', ARGV[1], ARGV[2])
end
return restored
