-- Makes the secret with which instances hash keys, unless there is one. In front of this stand clock.lua and changes.lua.
-- KEYS: limits. ARGV: random text.

make_secret(KEYS[1], ARGV[1])
return {'1'}
