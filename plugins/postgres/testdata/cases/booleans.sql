SELECT * FROM (VALUES (true), (false), (NULL)) AS t (yes)
