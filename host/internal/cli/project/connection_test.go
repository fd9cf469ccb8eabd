package project

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/sdk"
)

func TestTypedConfig(t *testing.T) {
	t.Parallel()
	schema := []byte(`{"properties":{"port":{"type":"integer"},"schemas":{"type":"array"},"folders":{"type":"array"},"none":{"type":"array"},"limits":{"type":"object"},"strict":{"type":"boolean"},"host":{"type":"string"},"tls":{"properties":{"depth":{"type":"integer"}}}}}`)
	got, err := typedConfig(schema, map[string]string{"port": "5432", "schemas": "a, b", "strict": "true", "host": "5432", "tls.depth": "2", "unknown": "x",
		"folders": ` ["one", "two, three"]`, "none": "", "limits": `{"rows": 5}`})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"port": float64(5432), "schemas": []any{"a", "b"}, "strict": true, "host": "5432", "tls": map[string]any{"depth": float64(2)}, "unknown": "x",
		"folders": []any{"one", "two, three"}, "none": []any{}, "limits": map[string]any{"rows": float64(5)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for key, text := range map[string]string{"folders": `["one"`, "limits": "five"} {
		if config, err := typedConfig(schema, map[string]string{key: text}); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%s=%s becomes %v, %v", key, text, config, err)
		}
	}
}

// TestCancelledWhileListing: a cancel that comes after the state was read is an
// error too, not an empty list.
func TestCancelledWhileListing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "loam.yaml"), []byte("version: 1\nconnections:\n  a: {connector: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	a := &commands{term: &terminal.Terminal{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}}
	catalogs := catalog.NewSet(project.StateFolder(dir).Catalog())
	docs, err := a.known(ctx, &Services{Project: project.NewSource(dir, time.Now), Health: health.New(health.Config{
		Catalogs: catalogs, Layer: layer.New(layer.Config{Dir: project.SemanticPath(dir), Catalogs: catalogs}),
		Known: func(context.Context, connection.Connection) (connection.State, error) {
			cancel()
			return connection.State{}, nil
		},
	})})
	if !errors.Is(err, context.Canceled) || docs != nil {
		t.Errorf("%v, %v", docs, err)
	}
}

func TestStepTime(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "-", 31400: "31µs", 1_849_000: "1.8ms", 1_234_567_000: "1.23s", 400: "1µs",
	} {
		if got := stepTime(d); got != want {
			t.Errorf("%d ns is %s, want %s", d, got, want)
		}
	}
}
