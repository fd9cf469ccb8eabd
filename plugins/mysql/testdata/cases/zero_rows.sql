SELECT id, name FROM accounts WHERE 1 = 0
