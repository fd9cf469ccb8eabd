SELECT 1,
  FROM accounts
