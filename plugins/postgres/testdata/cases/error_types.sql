SELECT 'é' AS x,
       sum(name) FROM accounts
