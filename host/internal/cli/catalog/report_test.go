package catalog

import (
	"errors"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestScansFailed(t *testing.T) {
	t.Parallel()
	boom := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "no route")
	if err := scansFailed(3, nil, nil); err != nil {
		t.Error(err)
	}
	if err := scansFailed(1, []string{"a"}, boom); !errors.Is(err, boom) {
		t.Errorf("of a single one: %v", err)
	}
	if err := scansFailed(3, []string{"a", "b"}, boom); sdk.KindOf(err) != sdk.KindUnavailable || !strings.Contains(err.Error(), "2 of 3 connections could not be scanned: a, b") {
		t.Errorf("of several: %v", err)
	}
}
