SELECT column1 AS sum, column2 AS big FROM (VALUES (1, 1), (2.5, 0.5), (NULL, 9007199254740993))
