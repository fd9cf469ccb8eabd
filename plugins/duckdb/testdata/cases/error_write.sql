INSERT INTO ledger VALUES (9, 1, 5, 'x')
