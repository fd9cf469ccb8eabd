package clickhouse_test

import (
	"testing"

	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk/dialect"
)

func TestDialectsAreValid(t *testing.T) {
	t.Parallel()
	if err := dialect.ValidateAll(clickhouse.Dialects()); err != nil {
		t.Error(err)
	}
}
