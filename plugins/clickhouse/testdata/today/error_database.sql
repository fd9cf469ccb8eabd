SELECT * FROM no_such_database.t
