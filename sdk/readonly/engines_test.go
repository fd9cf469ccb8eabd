package readonly_test

import (
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/internal/engine"
)

// engines are the dialects of the connectors whose SQL is furthest apart.
func engines() [][]dialect.Dialect {
	return [][]dialect.Dialect{
		recorded("duckdb"), recorded("mysql"), recorded("clickhouse"), recorded("snowflake"), recorded("sqlserver"), recorded("bigquery"),
	}
}

func recorded(name string) []dialect.Dialect { return engine.Recorded("../dialect/testdata", name) }
