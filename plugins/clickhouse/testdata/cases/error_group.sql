SELECT name, count() FROM accounts
