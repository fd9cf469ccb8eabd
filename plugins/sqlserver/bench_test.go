//go:build cgo

package sqlserver_test

import (
	"testing"
	"time"

	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk"
)

// BenchmarkFirstAnswer opens a connection to a warm fixture, runs a statement and closes
// the connection: what of it the fixture takes, and in how many requests.
func BenchmarkFirstAnswer(b *testing.B) {
	s := prepared(b)
	openWith(b, configFor(b, s.URL(), nil))
	before := len(s.Executed())
	for b.Loop() {
		session, err := sqlserver.Connector().Open(b.Context(), sdk.OpenRequest{ConnectionID: "bench", Config: configFor(b, s.URL(), nil)})
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
	asked := s.Executed()[before:]
	var took time.Duration
	for _, request := range asked {
		took += request.Took
	}
	b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "ms-in-fixture/op")
	b.ReportMetric(float64(len(asked))/float64(b.N), "requests/op")
	if testing.Verbose() {
		for _, request := range asked[:min(len(asked), len(asked)/b.N)] {
			b.Logf("%8.1f ms  %s %.90q", float64(request.Took.Microseconds())/1000, request.Procedure, request.Text)
		}
	}
}
