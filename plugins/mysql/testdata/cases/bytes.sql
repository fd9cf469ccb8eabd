SELECT * FROM {types}.blobs ORDER BY id
