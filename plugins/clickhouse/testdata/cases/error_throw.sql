SELECT throwIf(number = 1000000) FROM system.numbers LIMIT 2000000
