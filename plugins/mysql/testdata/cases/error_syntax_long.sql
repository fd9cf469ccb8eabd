SELECT id,
  FROM accounts WHERE note = 'the rest of this statement is far longer than what the server quotes of it' ORDER BY id, note, amount
