SELECT nosuch(1)
