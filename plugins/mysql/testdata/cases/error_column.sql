SELECT id,
  nmae FROM accounts
