//go:build !cgo

package duckdb_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk"
)

// A build without a C compiler says so, and what to do.
func TestWithoutACompiler(t *testing.T) {
	t.Parallel()
	_, err := duckdb.Connector().Open(t.Context(), sdk.OpenRequest{})
	e := sdk.AsError(err, "")
	if sdk.KindOf(err) != sdk.KindUnsupported || !strings.Contains(e.Hint, "CGO_ENABLED=1") {
		t.Errorf("got %v", err)
	}
}
