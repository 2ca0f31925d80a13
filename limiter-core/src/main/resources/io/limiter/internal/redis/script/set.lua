-- Decides a set of limits at one time, all or nothing. Runs after clock.lua. It has a block for each kind of limit in the
-- set: set_kind.lua with the parts of its script, which batch.lua describes.
--
-- The first pass decides all parts and saves nothing. If all are granted, the second pass decides them again and saves. If
-- not, it does so only for the parts that reject: a rejection may have to save a state (see Limit.step), and the other parts
-- take nothing. The second pass starts from what the first one found, so both come to the same result.
--
-- KEYS    one or more, each once
-- ARGV[1] for each key: its kind (1 byte), and a section as in batch.lua, with one key and one request
-- RETURN  the time in microseconds, the number of parts that would be granted (-1 if the second pass came to another one), and
--         for each key the value that was found (false if there was none). A value that begins with '!' is the reason why
--         the set was not decided

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
        -- MGET returns nothing for a key of another type; GET returns an error.
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
        -- Nothing is half done: Redis rejects the first write of a script, or no write.
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
