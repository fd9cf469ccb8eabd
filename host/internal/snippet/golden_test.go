package snippet

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

func inputs(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.in")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	return files
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, file := range inputs(t) {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".in"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			format := Format(filepath.Base(filepath.Dir(file)))
			if got := Detect("", string(text)); got != format {
				t.Errorf("it is detected as %q", got)
			}
			got := shown(t, Read(format, string(text)))
			golden := strings.TrimSuffix(file, ".in") + ".json"
			if *update {
				if err := os.WriteFile(golden, got, 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// shown writes the items of a snippet, one on each line.
func shown(t *testing.T, s *Snippet) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, i := range s.Items {
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(i); err != nil {
			t.Fatal(err)
		}
		out.Write(line.Bytes())
	}
	return out.Bytes()
}
