package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestScanning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, other := Open(dir, "shop"), Open(dir, "shop")
	if s, running := c.Scanning(); running {
		t.Errorf("before the first scan: %+v", s)
	}
	before := time.Now()
	w, err := c.Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range reportEvery + 1 {
		add(t, w, table(fmt.Sprintf("main.t%d", i), "id"))
	}
	if s, running := other.Scanning(); !running || s.Tables != reportEvery || s.Since.Before(before.Add(-time.Second)) {
		t.Errorf("while it runs: %+v, %v", s, running)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if s, running := other.Scanning(); running {
		t.Errorf("after it: %+v", s)
	}
	// What a killed scan left is no scan, and the next one begins.
	left := filepath.Join(dir, "scan.json")
	if err := os.WriteFile(left, []byte(`{"tables":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, running := c.Scanning(); running {
		t.Errorf("after a killed one: %+v", s)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("its report is still there: %v", err)
	}
	w, err = c.Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
