SELECT * FROM closed_database.t
