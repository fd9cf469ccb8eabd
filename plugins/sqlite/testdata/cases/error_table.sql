SELECT *
FROM kindz
