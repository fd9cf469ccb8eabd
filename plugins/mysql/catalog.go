package mysql

// The queries of a scan, each over whole databases: their number does not depend
// on how much there is to scan. They join nothing, because the servers join their
// information_schema row by row. %s are the databases.
const (
	schemataSQL = "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME IN (%s)"

	// Estimates come from what the storage engine keeps; opening every table for
	// them takes most of a scan.
	tablesSQL = `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_COMMENT, ENGINE, CREATE_OPTIONS, TABLE_ROWS, DATA_LENGTH
FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (%s) AND TABLE_TYPE <> 'SEQUENCE' ORDER BY TABLE_SCHEMA, TABLE_NAME`
	tablesOnlySQL = `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_COMMENT, ENGINE, CREATE_OPTIONS, NULL, NULL
FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (%s) AND TABLE_TYPE <> 'SEQUENCE' ORDER BY TABLE_SCHEMA, TABLE_NAME`

	definitionsSQL = "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA IN (%s)"

	columnsSQL = `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, COLUMN_COMMENT, EXTRA, PRIVILEGES
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA IN (%s) ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION`

	// keysSQL lists every constraint that is no check. Its kind shows: only the
	// primary key is called PRIMARY, only a foreign one refers to another table. A
	// foreign key may be called as a unique one is.
	keysSQL = `SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, ORDINAL_POSITION,
  REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA IN (%s)
ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME IS NULL, ORDINAL_POSITION`

	partitionsSQL = `SELECT DISTINCT TABLE_SCHEMA, TABLE_NAME, PARTITION_METHOD, PARTITION_EXPRESSION
FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA IN (%s) AND PARTITION_NAME IS NOT NULL`

	// documentsSQL lists the columns that MariaDB keeps JSON in: the type is a
	// LONGTEXT with a check that bears the column's name.
	documentsSQL = "SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME FROM information_schema.CHECK_CONSTRAINTS " +
		"WHERE CONSTRAINT_SCHEMA IN (%s) AND CHECK_CLAUSE = CONCAT('json_valid(`', CONSTRAINT_NAME, '`)')"
)
