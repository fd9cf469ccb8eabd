SELECT * FROM closed
