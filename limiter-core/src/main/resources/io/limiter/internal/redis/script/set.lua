-- Decides for the keys of a set of limits at one moment, all or nothing; stands behind clock.lua. Each kind of limit in the
-- set has its own block in it, which is set_kind.lua with the parts of its script; see batch.lua for these.
--
-- All are decided first, and nothing is saved. If all are granted, they are decided once more and saved. If not, only those
-- that reject are: a rejection may have something to save (see Limit.step), and what would be granted takes nothing. The
-- second time each starts from what the first left, so it comes to the same, even if time has moved on in Redis.
--
-- KEYS    one or several, each once
-- ARGV[1] for each key: its kind (1 byte), and a section as batch.lua has them, of one key and one request
-- RETURN  the time in microseconds, how many would be granted (-1 if the second time it was another number), and for each key
--         the value that was found (false if there was none). If one of them begins with '!', it is the reason why nothing was
--         decided

local KEYS, redis_call, redis_pcall = KEYS, redis.call, redis.pcall
local type, pack_bytes, unpack_bytes = type, struct.pack, struct.unpack
local REFUND, CHARGE = -1, -2

local arg, at = ARGV[1], 1
local granted, grants = 0, 0
local parts = #KEYS
local reply, found_all, starts, rejected = {now, 0}, {}, {}, {}
for i = 1, parts do
  reply[i + 2] = false
end
local values = redis_call('MGET', unpack(KEYS))

for pass = 1, 2 do
  local saves = pass == 2
  for i = 1, parts do
    if not saves or grants == parts or rejected[i] then
      local key, value = KEYS[i], found_all[i]
      if not saves then
        starts[i] = at
        -- MGET says of another type's key that it is not there.
        value = values[i] or redis_pcall('GET', key)
      end
      at = starts[i]
      local kind, keys, runs
      kind, keys, runs, at = unpack_bytes('<BI4I2', arg, at)
      local found, granted_before, again = value, granted, nil
      repeat
        if type(value) == 'table' then
          found = '!' .. value.err
          break
        end
--[kinds]
      until true
      reply[i + 2], found_all[i] = found, again or found
      if found and string.byte(found, 1) == 33 then
        -- Nothing is half done: Redis rejects the first write of a script, or none.
        return reply
      end
      rejected[i] = granted == granted_before
    end
  end
  if not saves then
    grants, granted = granted, 0
  end
end
reply[2] = granted == (grants == parts and parts or 0) and grants or -1
return reply
