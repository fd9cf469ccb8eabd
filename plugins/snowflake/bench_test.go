package snowflake_test

import (
	"testing"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk"
)

// BenchmarkFirstAnswer opens a connection to a warm fixture, runs a statement and closes
// the connection.
func BenchmarkFirstAnswer(b *testing.B) {
	s := fixture.Start(b)
	config := configOf(s, fixture.Reader, nil)
	open(b, config)
	before := len(s.Statements())
	for b.Loop() {
		session, err := snowflake.Connector().Open(b.Context(), sdk.OpenRequest{ConnectionID: "bench", Config: config})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := execute(b.Context(), session, sdk.ExecuteRequest{SQL: "SELECT 1 AS n"}); err != nil {
			b.Fatal(err)
		}
		if err := session.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	asked := s.Statements()[before:]
	b.ReportMetric(float64(len(asked))/float64(b.N), "statements/op")
	if testing.Verbose() {
		for _, statement := range asked[:len(asked)/b.N] {
			b.Logf("%v %.90q", statement.Describe, statement.Text)
		}
	}
}
