SELECT id FROM accounts, ledger
