-- Writes the copy of an instance back after Redis has lost the live limits: if there are none, or an older copy.
-- KEYS: limits, version. ARGV: channel, version and stamp of the copy, then names and limits.

local version, restored = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) %S+( ?%S*)')
if version and not (restored == ' restored' and tonumber(version) < tonumber(ARGV[2])) then
  return {'0'}
end
redis.call('DEL', KEYS[1])
for i = 4, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[3] .. ' restored')
redis.pcall('PUBLISH', ARGV[1], ARGV[2])
return {'1'}
