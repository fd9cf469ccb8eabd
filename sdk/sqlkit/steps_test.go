package sqlkit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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

func TestStepsNoWrite(t *testing.T) {
	t.Parallel()
	info := sdk.ServerInfo{ReadOnly: sdk.ReadOnlySession, ReadOnlyMechanism: "a mode"}
	risky := info
	risky.Warnings = []sdk.Diagnostic{{Summary: "may write"}, {Summary: "may drop"}}
	refused := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "no")
	for _, tt := range []struct {
		name string
		info sdk.ServerInfo
		err  error
		want sdk.TestStep
	}{
		{"refused", info, refused, sdk.TestStep{Detail: "read-only by session: a mode"}},
		{"denied", info, sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "no"), sdk.TestStep{Detail: "read-only by session: a mode"}},
		{"an account with rights", risky, refused, sdk.TestStep{
			Detail: "may write; may drop; read-only by session: a mode", Warning: true, Statements: []string{"CREATE USER"},
		}},
		{"written", info, nil, sdk.TestStep{Detail: "read-only by session: a mode", Err: sdk.Errorf(sdk.KindInternal, "", "")}},
		{"another failure", info, sdk.Errorf(sdk.KindTimeout, sdk.SourceCaller, "late"), sdk.TestStep{
			Detail: "read-only by session: a mode", Err: sdk.Errorf(sdk.KindTimeout, "", ""),
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got sdk.TestStep
			steps := sqlkit.NewSteps(func(s sdk.TestStep) { got = s })
			passed := steps.NoWrite(tt.info, func() []string { return []string{"CREATE USER"} }, func() error { return tt.err })
			tt.want.Name = "no_write"
			kinds := cmp.Transformer("kind", func(e *sdk.Error) sdk.Kind {
				if e == nil {
					return ""
				}
				return e.Kind
			})
			if diff := cmp.Diff(tt.want, got, kinds, cmpopts.IgnoreFields(sdk.TestStep{}, "Elapsed")); diff != "" || passed != (tt.want.Err == nil) {
				t.Errorf("passed: %t (-want +got):\n%s", passed, diff)
			}
		})
	}
}
