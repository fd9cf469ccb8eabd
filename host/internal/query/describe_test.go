package query

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// describer is a session that names columns without running a statement.
type describer struct {
	sdk.Session
	asked *[]string
}

func (d describer) Validate(_ context.Context, r sdk.ValidateRequest) (sdk.Validation, error) {
	*d.asked = append(*d.asked, r.SQL)
	return sdk.Validation{Columns: []sdk.Column{{Name: "id", Type: sdk.TypeInt64}}}, nil
}

type describers struct {
	*fake
	asked []string
}

func (d *describers) Lease(ctx context.Context, c connection.Connection) (sdk.Session, func(), error) {
	s, release, err := d.fake.Lease(ctx, c)
	return describer{s, &d.asked}, release, err
}

// A statement is described without being run; one that the guard refuses starts nothing.
func TestDescribe(t *testing.T) {
	t.Parallel()
	f := newFake(func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error {
		t.Error("it was run")
		return nil
	})
	d := &describers{fake: f}
	s := f.serviceOn(d)
	if _, err := s.Describe(t.Context(), "warehouse", "DELETE FROM t"); sdk.KindOf(err) != sdk.KindNotReadOnly || f.leases.Load() != 0 {
		t.Errorf("%v after %d leases", err, f.leases.Load())
	}
	got, err := s.Describe(t.Context(), "warehouse", "SELECT id FROM t")
	if diff := cmp.Diff([]sdk.Column{{Name: "id", Type: sdk.TypeInt64}}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := f.service().Describe(t.Context(), "warehouse", "SELECT id FROM t"); err != nil || got != nil {
		t.Errorf("a session that cannot describe: %v, %v", got, err)
	}
	if len(d.asked) != 1 || f.leases.Load() != 2 || f.releases.Load() != 2 {
		t.Errorf("asked %q, %d leases, %d releases", d.asked, f.leases.Load(), f.releases.Load())
	}
}
