package corpus_test

import (
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/internal/engine"
)

// engines are the dialects of the connectors whose SQL is furthest apart, and
// those of engines that have no connector.
func engines() [][]dialect.Dialect {
	return append([][]dialect.Dialect{recorded("duckdb"), recorded("mysql"), recorded("clickhouse"), recorded("snowflake"), recorded("sqlserver")}, engine.All()...)
}

func recorded(name string) []dialect.Dialect { return engine.Recorded("../../dialect/testdata", name) }
