SELECT * FROM acounts
