package dialect_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/loam-data/loam/sdk/internal/engine"
)

var update = flag.Bool("update", false, "record the dialects anew")

// The dialects are recorded in testdata, one file per family, for tests of rooms that
// may import no connector. Those of the connectors are recorded by the tests of plugins.
func TestRecordedDialects(t *testing.T) {
	t.Parallel()
	for _, dialects := range engine.All() {
		path := filepath.Join("testdata", dialects[0].Name+".json")
		want, err := json.MarshalIndent(dialects, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, '\n')
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not the dialect of today: run go test ./sdk/dialect -run TestRecordedDialects -update", path)
		}
	}
}
