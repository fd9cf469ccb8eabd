package sqlkit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestStepsStopAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	var got []string
	steps := sqlkit.NewSteps(func(s sdk.TestStep) {
		state := "ok: " + s.Detail
		if s.Err != nil {
			state = string(s.Err.Kind)
		}
		got = append(got, s.Name+" "+state)
	})
	steps.Run("config", func(s *sdk.TestStep) error { s.Detail = "fine"; return nil })
	steps.Run("login", func(*sdk.TestStep) error {
		return sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "no")
	})
	if steps.Run("read", func(*sdk.TestStep) error { t.Error("read ran"); return nil }) {
		t.Error("read passed")
	}
	if diff := cmp.Diff([]string{"config ok: fine", "login unauthenticated"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
