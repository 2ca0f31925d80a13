-- Makes the secret with which instances hash keys, unless there is one. In front of this stand clock.lua and changes.lua.
-- KEYS: limits. ARGV: the secret that the caller knows or empty, random text.

make_secret(KEYS[1], ARGV[1], ARGV[2])
return {'1'}
