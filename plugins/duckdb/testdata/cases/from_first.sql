FROM accounts SELECT name ORDER BY id LIMIT 1
