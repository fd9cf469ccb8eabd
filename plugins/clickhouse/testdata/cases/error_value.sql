SELECT toInt32('x' || name) FROM accounts
