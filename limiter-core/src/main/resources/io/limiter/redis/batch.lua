-- Decides for every key of a call at one moment; stands behind clock.lua, replies.lua and the script of one kind of limit.
--
-- KEYS    one or several
-- ARGV    for each key the numbers of its limit and its requests, as the limit's script describes
-- RETURN  the replies of all keys, one after the other

local now = now_micros()
local reply = {}
for i = 1, #KEYS do
  decide(KEYS[i], ARGV[i], now, reply)
end
return reply
