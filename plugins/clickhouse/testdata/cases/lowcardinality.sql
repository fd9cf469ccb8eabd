SELECT name, pair FROM low ORDER BY id
