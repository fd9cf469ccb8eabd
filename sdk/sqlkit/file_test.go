package sqlkit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestDatabaseFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "w.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		kind sdk.Kind
		hint string
	}{
		file:                       {},
		dir:                        {sdk.KindInvalid, "a file inside"},
		filepath.Join(dir, "none"): {sdk.KindNotFound, "correct path: the connector opens databases, it creates none"},
		filepath.Join(file, "x"):   {sdk.KindUnavailable, "check the disk or the network share that holds the file"},
		os.DevNull:                 {sdk.KindInvalid, "point path at a database file"},
	} {
		info, err := sqlkit.DatabaseFile(path, "a file inside")
		if sdk.KindOf(err) != want.kind || (info == nil) != (err != nil) || err != nil && sdk.AsError(err, sdk.SourceHost).Hint != want.hint {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}
