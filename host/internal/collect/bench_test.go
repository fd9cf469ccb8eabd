package collect

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/redact"
)

// BenchmarkUnchanged indexes 20,000 files that did not change, with the removal of secrets as the program has it.
// Source: the bar of 3 s in the specification of the toolset sources.
func BenchmarkUnchanged(b *testing.B) {
	const files = 20_000
	f := open(b, b.TempDir())
	salt := make([]byte, 32)
	f.config.Redact = func(text string) (string, int, error) {
		clean, found := redact.Text(text, salt, func(s string) string { return s })
		return clean, len(found), nil
	}
	f.config.Runs = f.engineOfRuns()
	line := strings.Repeat("SELECT revenue FROM orders WHERE status = 'paid' AND customer_id = 17\n", 20)
	for i := range files {
		f.write(fmt.Sprintf("src/%d/%d.%s", i%200, i, []string{"md", "sql", "py", "txt"}[i%4]), fmt.Sprint(line, i))
	}
	r := IndexRequest{Path: filepath.Join(f.dir, "src")}
	if _, err := f.Index(b.Context(), r, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if a, err := f.Index(b.Context(), r, nil); err != nil || a.FilesUnchanged != files {
			b.Fatalf("%+v %v", a, err)
		}
	}
}
