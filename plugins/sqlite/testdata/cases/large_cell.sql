SELECT printf('%.*c', 1048576, 'x') AS text
