SELECT spend(1)
