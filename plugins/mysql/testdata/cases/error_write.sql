DELETE FROM accounts
