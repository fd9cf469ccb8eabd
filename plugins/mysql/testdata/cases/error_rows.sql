SELECT (SELECT id FROM accounts)
