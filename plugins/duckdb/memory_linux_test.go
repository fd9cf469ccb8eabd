//go:build cgo

package duckdb_test

import (
	"os"
	"os/exec"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loam-data/loam/sdk"
)

// envMemory has the test program keep itself to a number of bytes.
const envMemory = "LOAM_TEST_KEEP_TO_MEMORY"

// What fills the memory of a process that the host keeps to 960 MiB, with 512 of
// them for the engine.
var fillsTheMemory = []string{
	"SELECT range AS n FROM range(400000000) ORDER BY hash(range)",
	"SELECT range(2000000000) AS n",
	"SELECT list(range) AS n FROM range(400000000)",
	"SELECT string_agg(range::VARCHAR, ',') AS n FROM range(400000000)",
	"SELECT count(DISTINCT range) AS n FROM range(400000000)",
	"SELECT count(*) AS n FROM range(200000000) a JOIN range(200000000) b USING (range)",
	"SELECT histogram(range % 50000000) AS n FROM range(100000000)",
}

// TestMemoryIsGivenBack: after a statement that got no more memory, others do
// get some. The limit is the process's, so that the test runs in one of its own.
func TestMemoryIsGivenBack(t *testing.T) {
	if os.Getenv(envMemory) == "" {
		t.Parallel()
		self := exec.Command(os.Args[0], "-test.run=^TestMemoryIsGivenBack$", "-test.v")
		self.Env = append(os.Environ(), envMemory+"=1")
		out, err := self.CombinedOutput()
		if err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: 960 << 20, Max: unix.RLIM_INFINITY}); err != nil {
		t.Fatal(err)
	}
	req := request(t, map[string]any{"folders": []string{t.TempDir()}})
	req.MemoryBytes = 512 << 20
	s := openRequest(t, req)
	for _, sql := range fillsTheMemory {
		if e := refused(t, s, sql); e.Kind != sdk.KindLimit {
			t.Errorf("%s: %v, want limit", sql, e)
		} else {
			t.Logf("%s: %v", sql, e)
		}
		var others sync.WaitGroup
		for range 4 {
			others.Go(func() {
				if _, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT count(DISTINCT range) FROM range(1000000)"}); err != nil {
					t.Errorf("after %s: %v", sql, err)
				}
			})
		}
		others.Wait()
	}
}
