SELECT id FROM accounts WHERE
