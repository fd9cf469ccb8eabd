package bigquery_test

import (
	"testing"

	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/sdk"
)

// BenchmarkFirstAnswer opens a connection to a warm fixture, runs a statement and closes
// the connection.
func BenchmarkFirstAnswer(b *testing.B) {
	s := start(b)
	config := configOf(b, s, reader, nil)
	open(b, s, nil)
	before := len(s.Requests())
	for b.Loop() {
		session, err := bigquery.Connector().Open(b.Context(), sdk.OpenRequest{ConnectionID: "bench", Config: config})
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
	asked := s.Requests()[before:]
	b.ReportMetric(float64(len(asked))/float64(b.N), "requests/op")
	if testing.Verbose() {
		for _, request := range asked[:len(asked)/b.N] {
			b.Log(request.Kind, describe(request))
		}
	}
}
