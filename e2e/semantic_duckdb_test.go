//go:build cgo

package e2e

import "testing"

func TestSemanticLayerAnswersDuckDB(t *testing.T) {
	t.Parallel()
	heavy(t, "the samples on DuckDB")
	checkSamples(t, engine{
		quote: `"`, nullable: "%s",
		types: map[kind]string{integer: "INTEGER", decimal: "DECIMAL(12,4)", float: "DOUBLE", timestamp: "TIMESTAMP", text: "VARCHAR"},
		create: func(t testing.TB, statements []string) (string, string) {
			return duckDB(t, statements...), "bank.main.*"
		},
	}, false)
}
