package lockfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func sample() Lock {
	return Lock{
		"acme/foodb": {
			Constraint: "~> 0.3", Version: "0.3.1", Source: "https://acme.example/index.json?a=1&b=2", Key: "RWT4", Contract: "1.1",
			Environment: []string{"FOODB_PROXY"}, SQL: []string{}, Previous: "0.3.0",
			Platforms: map[string]Sums{"linux_amd64": {Archive: "aa", Tree: "h1:a="}, "darwin_arm64": {Archive: "bb", Tree: "h1:b="}},
		},
		"zeta/db": {Version: "1.0.0", Environment: []string{}, SQL: []string{"PRAGMA"}, Platforms: map[string]Sums{}},
	}
}

const text = `{
  "lock_version": 1,
  "connectors": {
    "acme/foodb": {
      "constraint": "~> 0.3",
      "version": "0.3.1",
      "source": "https://acme.example/index.json?a=1&b=2",
      "key": "RWT4",
      "contract": "1.1",
      "environment": [
        "FOODB_PROXY"
      ],
      "sql": [],
      "previous": "0.3.0",
      "platforms": {
        "darwin_arm64": {"archive":"bb","tree":"h1:b="},
        "linux_amd64": {"archive":"aa","tree":"h1:a="}
      }
    },
    "zeta/db": {
      "constraint": "",
      "version": "1.0.0",
      "source": "",
      "key": "",
      "contract": "",
      "environment": [],
      "sql": [
        "PRAGMA"
      ],
      "previous": "",
      "platforms": {
      }
    }
  }
}
`

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Write(dir, sample()); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, Name))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(written)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	read, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), read); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	if lock, err := Read(t.TempDir()); err != nil || len(lock) != 0 {
		t.Errorf("a folder without a lock has %v, %v", lock, err)
	}
	for name, c := range map[string]struct {
		text string
		kind sdk.Kind
	}{
		"no JSON":        {"<<<<<<< HEAD", sdk.KindInvalid},
		"another file":   {"{}", sdk.KindInvalid},
		"a newer one":    {`{"lock_version": 2, "connectors": {}}`, sdk.KindUnsupported},
		"no version":     {`{"lock_version": 1, "connectors": {"acme/foodb": {}}}`, sdk.KindInvalid},
		"no tree":        {`{"lock_version": 1, "connectors": {"acme/foodb": {"version": "1.0.0", "platforms": {"linux_amd64": {}}}}}`, sdk.KindInvalid},
		"unknown keys":   {`{"lock_version": 1, "later": 1, "connectors": {"acme/foodb": {"version": "1.0.0", "later": 1}}}`, ""},
		"empty is valid": {`{"lock_version": 1}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, Name), []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); sdk.KindOf(err) != c.kind {
				t.Errorf("got %v, want kind %q", err, c.kind)
			}
		})
	}
}
