//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Errors as DuckDB 1.5.5 gave them.
func TestErrors(t *testing.T) {
	t.Parallel()
	const sql = "SELECT 'ä', x\nFROM orders"
	for name, c := range map[string]struct {
		native engine.Error
		want   sdk.Error
	}{
		"syntax": {
			engine.Error{Type: "Parser", Subtype: "SYNTAX_ERROR", Msg: `syntax error at or near "FRMO"`, Offset: 13},
			sdk.Error{Kind: sdk.KindSyntax, Source: sdk.SourceCaller, Code: "Parser/SYNTAX_ERROR", Msg: `syntax error at or near "FRMO"`, Hint: dialectHint, Pos: sdk.Position{Line: 1, Column: 13}},
		},
		"table": {
			engine.Error{Type: "Catalog", Subtype: "MISSING_ENTRY", Name: "odrers", Entry: "Table", Candidates: []string{"orders"}, Msg: "Table with name odrers does not exist!\nDid you mean \"orders\"?", Offset: 20},
			sdk.Error{Kind: sdk.KindNotFound, Source: sdk.SourceCaller, Code: "Catalog/MISSING_ENTRY", Msg: "Table with name odrers does not exist!", Hint: "did you mean orders?", Candidates: []string{"orders"}, Pos: sdk.Position{Line: 2, Column: 6}},
		},
		"column": {
			engine.Error{Type: "Binder", Subtype: "COLUMN_NOT_FOUND", Name: "xx", Candidates: []string{"y", ` "x"`}, Msg: `Referenced column "xx" not found in FROM clause!`, Offset: -1},
			sdk.Error{Kind: sdk.KindNotFound, Source: sdk.SourceCaller, Code: "Binder/COLUMN_NOT_FOUND", Msg: `Referenced column "xx" not found in FROM clause!`, Hint: "did you mean x?", Candidates: []string{"x"}},
		},
		"function": {
			engine.Error{Type: "Catalog", Subtype: "MISSING_ENTRY", Name: "zzz", Entry: "Scalar Function", Msg: "Scalar Function with name zzz does not exist!", Offset: 7},
			sdk.Error{Kind: sdk.KindNotFound, Source: sdk.SourceCaller, Code: "Catalog/MISSING_ENTRY", Msg: "Scalar Function with name zzz does not exist!", Hint: "use a scalar function that exists", Pos: sdk.Position{Line: 1, Column: 8}},
		},
		"conversion": {
			engine.Error{Type: "Conversion", Msg: "Could not convert string 'a' to INT32", Offset: 7},
			sdk.Error{Kind: sdk.KindInvalid, Source: sdk.SourceCaller, Code: "Conversion", Msg: "Could not convert string 'a' to INT32", Hint: verdicts["Conversion"].Hint, Pos: sdk.Position{Line: 1, Column: 8}},
		},
		"memory": {
			engine.Error{Type: "Out of Memory", Msg: "failed to allocate data of size 128.0 KiB (190.7 MiB/190.7 MiB used)\nPossible solutions:\n* …", Offset: -1},
			sdk.Error{Kind: sdk.KindLimit, Source: sdk.SourceCaller, Code: "Out of Memory", Msg: "failed to allocate data of size 128.0 KiB (190.7 MiB/190.7 MiB used)", Hint: verdicts["Out of Memory"].Hint},
		},
		"fence": {
			engine.Error{Type: "Permission", Msg: `Cannot access file "/etc/passwd" - file system operations are disabled by configuration`, Offset: -1},
			sdk.Error{Kind: sdk.KindDenied, Source: sdk.SourceCaller, Code: "Permission", Msg: `Cannot access file "/etc/passwd" - file system operations are disabled by configuration`, Hint: verdicts["Permission"].Hint},
		},
		"disk": {
			engine.Error{Type: "IO", Msg: `Could not read enough bytes from file "x.duckdb"`, Offset: -1},
			sdk.Error{Kind: sdk.KindUnavailable, Source: sdk.SourceWarehouse, Code: "IO", Retry: true, Msg: `Could not read enough bytes from file "x.duckdb"`, Hint: verdicts["IO"].Hint},
		},
		"unknown": {
			engine.Error{Type: "Brand New", Msg: "what?", Offset: -1},
			sdk.Error{Kind: sdk.KindInternal, Source: sdk.SourceConnector, Code: "Brand New", Msg: "what?"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := *sdk.AsError(statementFailed(t.Context(), &statement{Statement: &sqlkit.Statement{SQL: sql}}, &c.native), "")
			got.Err = nil
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What ended the context goes before the engine's word for it.
func TestErrorsOfAnEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	native := &engine.Error{Type: "INTERRUPT", Msg: "Interrupted!"}
	err := failed(ctx, native)
	if sdk.KindOf(err) != sdk.KindCanceled || !errors.Is(err, native) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsOfALock(t *testing.T) {
	t.Parallel()
	native := &engine.Error{Type: "IO", Msg: `Could not set lock on file "/data/shop.duckdb": Conflicting lock is held in /usr/bin/python3.11 (PID 4711) by user etl. See also https://duckdb.org/docs/stable/connect/concurrency`}
	e := sdk.AsError(openFailed("/data/shop.duckdb", native), "")
	const want = "/data/shop.duckdb is locked: another program has it open to write in /usr/bin/python3.11 (PID 4711) by user etl"
	if e.Kind != sdk.KindConflict || e.Msg != want || !e.Retry || e.Hint == "" {
		t.Errorf("got %s %q", e.Kind, e.Msg)
	}
}
