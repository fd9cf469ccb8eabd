SELECT a.nmae FROM accounts a
