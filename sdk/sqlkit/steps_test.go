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

func TestReadable(t *testing.T) {
	t.Parallel()
	grant := []string{"GRANT SELECT"}
	for _, c := range []struct {
		name  string
		found sqlkit.Readable
		want  sdk.TestStep
		try   bool
	}{
		{"nothing", sqlkit.Readable{Where: "shop"}, sdk.TestStep{Warning: true, Detail: "first; the account can read no table or view of shop", Statements: grant}, false},
		{"views only", sqlkit.Readable{Tables: 2}, sdk.TestStep{Detail: "first; 2 tables and views can be read"}, false},
		{"a table", sqlkit.Readable{Tables: 3, Sample: "a.b"}, sdk.TestStep{Detail: "first; 3 tables and views can be read, such as a.b"}, true},
	} {
		c.found.Grant = grant
		got := sdk.TestStep{Detail: "first; "}
		if try := c.found.Report(&got); try != c.try {
			t.Errorf("%s: there is a sample: %t", c.name, try)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
