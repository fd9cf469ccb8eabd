SHOW TABLES LIKE 'no such table'
