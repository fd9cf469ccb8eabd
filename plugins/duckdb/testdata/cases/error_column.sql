SELECT 'ä', balanse FROM accounts
