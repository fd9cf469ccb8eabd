INSERT INTO ledger VALUES (9, 1, 1, 'x')
