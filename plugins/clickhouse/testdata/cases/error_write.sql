INSERT INTO ledger SELECT 9, 1, 5, 'x'
