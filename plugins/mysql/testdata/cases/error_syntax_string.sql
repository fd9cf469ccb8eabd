SELECT 'é' FROM accounts
WHERE name == 'x'
