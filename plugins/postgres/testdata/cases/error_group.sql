SELECT id, count(*) FROM accounts
