SELECT d FROM dynamics ORDER BY id
