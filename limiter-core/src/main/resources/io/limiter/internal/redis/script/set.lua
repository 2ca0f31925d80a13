-- Decides sets of limits at one time, one after the other, each all or nothing. Runs after clock.lua. It has a block for each
-- kind of limit in the sets: set_kind.lua with the parts of its script, which batch.lua describes.
--
-- Equal sets in a row are decided together, as batch.lua decides equal requests: the first pass decides for each part how many of
-- them it grants, and saves nothing. As many sets are granted as every part grants. The second pass decides these again and
-- saves, and what is left of the row begins again. If a part grants none, all of the row are rejected, and the second pass
-- decides and saves only the parts that reject: a rejection may have to save a state (see LimitStep.step), and the other parts take
-- nothing. The second pass starts from what the first one found, so both come to the same result. What the first pass finds of the
-- last part usually decides all, and then it also saves that part.
--
-- KEYS    one or more, each once
-- ARGV[1] rows of equal sets, little-endian:
--           number of parts (2 bytes)
--           number of sets (4 bytes)
--           length of what follows, in bytes (4 bytes)
--           for each part: the number of its key from 1 (2 bytes), its kind (1 byte), and a section as in batch.lua, with one key
--             and one run, which is as long as the row, or a note on it and the run
-- RETURN  the time in microseconds, and for each row: the number of parts that were granted, together with those that would have
--         been in the first set that was rejected (-1 if the second pass came to another one); and for each part the value that
--         was found (false if there was none). A value that begins with '!' is the reason why a row was not decided

local KEYS, redis_call, redis_pcall = KEYS, redis.call, redis.pcall
local type, pack_bytes, unpack_bytes = type, struct.pack, struct.unpack
local REFUND, CHARGE = -1, -2
--[constants]

local argument, next_row = ARGV[1], 1
local granted = 0
local reply, replies = {now}, 1
-- The value of each key; false if there is none, or if the key was saved since then.
local values = redis_call('MGET', unpack(KEYS))
-- By part of a row.
local starts, found_all, granted_all = {}, {}, {}

while next_row <= #argument do
  local parts, sets, bytes
  parts, sets, bytes, starts[1] = unpack_bytes('<I2I4I4', argument, next_row)
  next_row = starts[1] + bytes
  local row = replies + 1
  replies = row + parts
  for i = row, replies do
    reply[i] = false
  end
  local grants, left, agrees = 0, sets, true
  repeat
    local least, granting, unsaved = left, 0, parts
    for pass = 1, 2 do
      local saves = pass == 2
      local times = saves and least > 0 and least or left
      for i = 1, unsaved do
        if not saves or least > 0 or granted_all[i] == 0 then
          local arg, at = argument, starts[i]
          if times < sets then
            arg, at = string.sub(arg, at, starts[i + 1] - 5) .. pack_bytes('<I4', times), 1
          end
          local number, kind, keys, runs
          number, kind, keys, runs, at = unpack_bytes('<I2BI4I2', arg, at)
          local key, value = KEYS[number], found_all[i]
          if not saves then
            -- MGET returns nothing for a key of another type; GET returns an error.
            value = values[number] or redis_pcall('GET', key)
          end
          local found, granted_before, again, is_saved = value, 0, nil, false
          -- How many grants of the last part decide all: this number, or none.
          local saved_with = i == parts and (least == left and left or 0)
          granted = 0
          repeat
            if type(value) == 'table' then
              found = '!' .. value.err
              break
            end
--[kinds]
          until true
          if found and string.byte(found, 1) == 33 then
            -- Nothing is half done: Redis rejects the first write of a script, or no write.
            reply[row + i], left, unsaved = found, 0, 0
            break
          end
          if is_saved then
            values[number] = false
          end
          if saves then
            agrees = agrees and granted == (least > 0 and times or 0)
          else
            found_all[i], granted_all[i] = again or found, granted
            if times == sets then
              starts[i + 1], reply[row + i] = at, found
            end
            if granted < least then
              least = granted
            end
            if granted > 0 then
              granting = granting + 1
            end
            if is_saved then
              unsaved = i - 1
            end
          end
        end
      end
    end
    if least > 0 then
      grants, left = grants + least * parts, left - least
    else
      grants, left = grants + granting, 0
    end
  until left <= 0
  reply[row] = agrees and grants or -1
end
return reply
