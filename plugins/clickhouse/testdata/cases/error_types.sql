SELECT lower(1)
