SELECT name FROM accounts WHERE id = ?
