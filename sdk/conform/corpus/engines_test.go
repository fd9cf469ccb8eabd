package corpus_test

import (
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/internal/engine"
)

// engines are the dialects of the connectors whose SQL is furthest apart, and
// those of engines that have no connector.
func engines() [][]dialect.Dialect {
	return append([][]dialect.Dialect{duckdb.Dialects(), mysql.Dialects(), clickhouse.Dialects()}, engine.All()...)
}
