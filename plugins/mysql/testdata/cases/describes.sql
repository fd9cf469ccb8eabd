DESCRIBE accounts name
