SELECT sumState(balance) FROM accounts
