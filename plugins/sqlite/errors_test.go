package sqlite

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
)

// Codes and messages as SQLite 3.54 reports them.
func TestFailed(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		err   error
		kind  sdk.Kind
		code  string
		retry bool
	}{
		{"busy", t.Context(), &engine.Error{Code: 5, Msg: "database is locked", Offset: -1}, sdk.KindConflict, "5", true},
		{"busy snapshot", t.Context(), &engine.Error{Code: 517, Msg: "database is locked", Offset: -1}, sdk.KindConflict, "517", true},
		{"locked", t.Context(), &engine.Error{Code: 262, Msg: "database table is locked", Offset: -1}, sdk.KindConflict, "262", true},
		{"schema", t.Context(), &engine.Error{Code: 17, Msg: "database schema has changed", Offset: -1}, sdk.KindConflict, "17", true},
		{"no database", t.Context(), &engine.Error{Code: 26, Msg: "file is not a database", Offset: -1}, sdk.KindInvalid, "26", false},
		{"corrupt", t.Context(), &engine.Error{Code: 11, Msg: "database disk image is malformed", Offset: -1}, sdk.KindUnavailable, "11", false},
		{"cannot open", t.Context(), &engine.Error{Code: 14, Msg: "unable to open database file", Offset: -1}, sdk.KindUnavailable, "14", true},
		{"may not open", t.Context(), &engine.Error{Code: 14, Msg: "unable to open database file", Offset: -1, Errno: syscall.EACCES}, sdk.KindDenied, "14", false},
		{"read error", t.Context(), &engine.Error{Code: 266, Msg: "disk I/O error", Offset: -1}, sdk.KindUnavailable, "266", true},
		{"read-only", t.Context(), &engine.Error{Code: 8, Msg: "attempt to write a readonly database", Offset: -1}, sdk.KindNotReadOnly, "8", false},
		{"hot journal", t.Context(), &engine.Error{Code: 776, Msg: "attempt to write a readonly database", Offset: -1}, sdk.KindUnavailable, "776", false},
		{"too long", t.Context(), &engine.Error{Code: 18, Msg: "string or blob too big", Offset: -1}, sdk.KindLimit, "18", false},
		{"no memory", t.Context(), &engine.Error{Code: 7, Msg: "out of memory", Offset: -1}, sdk.KindLimit, "7", false},
		{"disk full", t.Context(), &engine.Error{Code: 13, Msg: "database or disk is full", Offset: -1}, sdk.KindLimit, "13", false},
		{"while it runs", t.Context(), &engine.Error{Code: 1, Msg: "integer overflow", Offset: -1}, sdk.KindInvalid, "1", false},
		{"unknown", t.Context(), &engine.Error{Code: 99, Msg: "odd", Offset: -1}, sdk.KindInternal, "99", false},
		{"interrupted", canceled, &engine.Error{Code: 9, Msg: "interrupted", Offset: -1}, sdk.KindCanceled, "", false},
		{"busy and canceled", canceled, &engine.Error{Code: 5, Msg: "database is locked", Offset: -1}, sdk.KindCanceled, "", false},
		{"nothing", t.Context(), engine.ErrEmpty, sdk.KindSyntax, "", false},
		{"several", t.Context(), &engine.SeveralError{Offset: 3}, sdk.KindNotReadOnly, "", false},
		{"misfit", t.Context(), &misfitError{class: engine.Text}, sdk.KindUnsupported, "", true},
		{"mapped before", t.Context(), sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "x"), sdk.KindDenied, "", false},
		{"foreign", t.Context(), errors.New("odd"), sdk.KindInternal, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := failed(tt.ctx, "ab\ncdef", tt.err)
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || e.Kind != tt.kind || e.Code != tt.code || e.Retry != tt.retry {
				t.Fatalf("got %#v", err)
			}
			if !errors.Is(err, tt.err) && e.Code != "" {
				t.Error("the engine's error is lost")
			}
		})
	}
	if err := failed(t.Context(), "", nil); err != nil {
		t.Errorf("nil became %v", err)
	}
}

// Every result code that can reach a caller has a hint.
func TestVerdictsHaveHints(t *testing.T) {
	t.Parallel()
	for code, v := range verdicts {
		if v.Hint == "" || v.Kind == "" || v.Source == "" {
			t.Errorf("code %d: %+v", code, v)
		}
	}
}

func TestCompileFailed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		msg, sql      string
		offset        int
		kind          sdk.Kind
		pos           sdk.Position
		what, missing string
	}{
		{`near "FORM": syntax error`, "SELECT * FORM t", 9, sdk.KindSyntax, sdk.Position{Line: 1, Column: 10}, "", ""},
		{"incomplete input", "SELECT (\n", -1, sdk.KindSyntax, sdk.Position{Line: 2, Column: 1}, "", ""},
		{"row value misused", "SELECT (1, 2)", -1, sdk.KindSyntax, sdk.Position{}, "", ""},
		{"no such table: ordes", "SELECT * FROM Ordes", -1, sdk.KindNotFound, sdk.Position{Line: 1, Column: 15}, "table", "ordes"},
		{"no such table: main.ordes", "SELECT * FROM ordes", -1, sdk.KindNotFound, sdk.Position{Line: 1, Column: 15}, "table", "main.ordes"},
		{"no such table: ordes", "SELECT ordes FROM ordes", -1, sdk.KindNotFound, sdk.Position{}, "table", "ordes"},
		{"no such table: ordes", "SELECT 'İ' FROM ordes", 16, sdk.KindNotFound, sdk.Position{Line: 1, Column: 16}, "table", "ordes"},
		{"no such column: o.create_at", "SELECT o.create_at", 7, sdk.KindNotFound, sdk.Position{Line: 1, Column: 8}, "column", "o.create_at"},
		{"no such function: foo", "SELECT foo()", 7, sdk.KindNotFound, sdk.Position{Line: 1, Column: 8}, "function", "foo"},
	} {
		t.Run(tt.msg, func(t *testing.T) {
			t.Parallel()
			native := &engine.Error{Code: 1, Msg: tt.msg, Offset: tt.offset}
			what, missing, err := compileFailed(tt.sql, failed(t.Context(), tt.sql, native))
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || what != tt.what || missing != tt.missing {
				t.Fatalf("got %v about the %s %q", err, what, missing)
			}
			want := sdk.Error{Kind: tt.kind, Source: sdk.SourceCaller, Msg: tt.msg, Code: "1", Pos: tt.pos}
			got := *e
			if got.Hint == "" {
				t.Error("no hint")
			}
			got.Hint, got.Err = "", nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
