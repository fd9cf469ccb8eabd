SELECT *
FROM acounts
