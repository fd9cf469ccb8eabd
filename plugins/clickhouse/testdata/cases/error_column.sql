SELECT id, nam FROM accounts
