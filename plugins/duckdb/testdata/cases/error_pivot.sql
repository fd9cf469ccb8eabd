EXPLAIN PIVOT ledger ON account_id USING sum(amount)
