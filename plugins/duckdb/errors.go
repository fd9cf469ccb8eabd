//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const dialectHint = "correct the statement; it is DuckDB's dialect"

// verdicts by the engine's class of an error.
// Source: exception.cpp of DuckDB 1.5.
var verdicts = map[string]sqlkit.Verdict{
	"Parser":                 sqlkit.Caller(sdk.KindSyntax, dialectHint),
	"Syntax":                 sqlkit.Caller(sdk.KindSyntax, dialectHint),
	"Binder":                 sqlkit.Caller(sdk.KindSyntax, dialectHint),
	"Catalog":                sqlkit.Caller(sdk.KindSyntax, dialectHint),
	"Planner":                sqlkit.Caller(sdk.KindSyntax, dialectHint),
	"Expression":             sqlkit.Caller(sdk.KindSyntax, dialectHint),
	"Unknown Type":           sqlkit.Caller(sdk.KindSyntax, dialectHint),
	"Invalid type":           sqlkit.Caller(sdk.KindSyntax, dialectHint),
	"Conversion":             sqlkit.Caller(sdk.KindInvalid, "use TRY_CAST for values that may not convert, or filter them out"),
	"Mismatch Type":          sqlkit.Caller(sdk.KindInvalid, "convert the value with CAST"),
	"Out of Range":           sqlkit.Caller(sdk.KindInvalid, "convert to a wider type, such as HUGEINT or DOUBLE, before computing"),
	"Decimal":                sqlkit.Caller(sdk.KindInvalid, "convert to a wider DECIMAL or to DOUBLE before computing"),
	"Divide by Zero":         sqlkit.Caller(sdk.KindInvalid, "divide by NULLIF(x, 0)"),
	"Invalid Input":          sqlkit.Caller(sdk.KindInvalid, "correct the statement or the values it is about"),
	"Sequence":               sqlkit.Caller(sdk.KindInvalid, "leave the sequence out: it cannot advance here"),
	"Constraint":             sqlkit.Caller(sdk.KindInvalid, "correct the statement"),
	"Parameter Not Resolved": sqlkit.Caller(sdk.KindInvalid, "say the parameter's type: CAST($1 AS INTEGER)"),
	"Parameter Not Allowed":  sqlkit.Caller(sdk.KindInvalid, "write a literal in place of this parameter"),
	"Not implemented":        sqlkit.Caller(sdk.KindUnsupported, "write the statement without this feature"),
	"Missing Extension":      sqlkit.Caller(sdk.KindUnsupported, "do without the extension: none can be loaded here"),
	"Extension Autoloading":  sqlkit.Caller(sdk.KindUnsupported, "do without the extension: none can be loaded here"),
	"HTTP":                   sqlkit.Caller(sdk.KindUnsupported, "read only the configured file and folders"),
	"Network":                sqlkit.Caller(sdk.KindUnsupported, "read only the configured file and folders"),
	"Permission":             sqlkit.Caller(sdk.KindDenied, "read only the configured file and folders: their files are tables"),
	"Settings":               sqlkit.Caller(sdk.KindNotReadOnly, "leave the settings as they are"),
	"Invalid Configuration":  sqlkit.Host(sdk.KindInvalid, "correct the connection's configuration"),
	"TransactionContext":     sqlkit.Caller(sdk.KindNotReadOnly, "only statements that read can run"),
	"Out of Memory":          sqlkit.Caller(sdk.KindLimit, "select less (a filter, fewer columns, a smaller GROUP BY or ORDER BY), or raise limits.memory of the connection"),
	"Object Size":            sqlkit.Caller(sdk.KindLimit, "select parts of the long value with substring()"),
	"INTERRUPT":              sqlkit.Caller(sdk.KindCanceled, "").Final(),
	"IO":                     sqlkit.Server(sdk.KindUnavailable, "check that the file is whole and readable, and scan the connection if files were moved"),
	"Serialization":          sqlkit.Server(sdk.KindUnavailable, "open the file with the version of DuckDB that wrote it and export it again").Final(),
	"Connection":             sqlkit.Server(sdk.KindConflict, "repeat the call"),
	"FATAL":                  {Kind: sdk.KindUnavailable, Source: sdk.SourceConnector, Hint: "repeat the call: the database is opened anew", Retry: true},
}

// failed makes the caller's error of an engine's. What ended the context goes
// first: the engine only says that it was interrupted.
func failed(ctx context.Context, err error) error { return statementFailed(ctx, nil, err) }

// statementFailed is failed for an error that may be about the caller's text.
func statementFailed(ctx context.Context, s *statement, err error) error {
	return sqlkit.Failed(ctx, err, func(err error) *sdk.Error {
		if errors.Is(err, engine.ErrEmpty) {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%w", err).WithHint("send one SELECT statement")
		}
		if native, ok := errors.AsType[*engine.Error](err); ok {
			return explain(s, native)
		}
		return sdk.AsError(err, sdk.SourceConnector)
	})
}

// explain maps what the library said.
func explain(s *statement, native *engine.Error) *sdk.Error {
	v, ok := verdicts[native.Type]
	if !ok {
		v = sqlkit.Verdict{Kind: sdk.KindInternal, Source: sdk.SourceConnector}
	}
	e := v.Error(native.Type, message(native), native)
	switch native.Subtype {
	case "MISSING_ENTRY", "COLUMN_NOT_FOUND":
		misnamed(e, native)
	case "":
	default:
		e.Code += "/" + native.Subtype
	}
	if s != nil && native.Offset >= 0 {
		e.Pos = sdk.PositionAtByte(s.SQL, native.Offset-s.shift)
	}
	return e
}

// misnamed is about a name that does not exist.
func misnamed(e *sdk.Error, native *engine.Error) {
	e.Kind, e.Code = sdk.KindNotFound, native.Type+"/"+native.Subtype
	what := strings.ToLower(native.Entry)
	if native.Subtype == "COLUMN_NOT_FOUND" {
		what = "column"
	}
	for _, name := range native.Candidates {
		if name = strings.Trim(strings.TrimSpace(name), `"`); name != "" {
			e.Candidates = append(e.Candidates, name)
		}
	}
	if best := sqlkit.Nearest(native.Name, e.Candidates); len(best) > 0 {
		e.Candidates = best
	}
	e.Hint = fmt.Sprintf("use a %s that exists", what)
	if len(e.Candidates) > 0 {
		e.Hint = "did you mean " + strings.Join(e.Candidates, " or ") + "?"
	}
}

// message is what the engine said, without the advice that is in the hint and
// the candidates.
func message(err error) string {
	native, ok := errors.AsType[*engine.Error](err)
	if !ok {
		return err.Error()
	}
	text, _, _ := strings.Cut(native.Msg, "\n")
	return strings.TrimSpace(text)
}

// heldBy stands in the message about a lock; there is no code. Behind it are the
// program and its process id, which only the message has.
// Source: local_file_system.cpp of DuckDB.
const heldBy = "Conflicting lock is held"

// openFailed says what is wrong with a database file that does not open.
func openFailed(path string, err error) error {
	native, ok := errors.AsType[*engine.Error](err)
	if !ok {
		return err
	}
	if _, holder, locked := strings.Cut(native.Msg, heldBy); locked {
		holder, _, _ = strings.Cut(holder, ". See also")
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceWarehouse, "%s is locked: another program has it open to write%s", path, holder)
		e.Code, e.Retry, e.Err = native.Type, true, native
		return e.WithHint("close the database in that program, or open it there READ_ONLY; one that writes locks everybody else out")
	}
	e := explain(nil, native)
	if native.Type == "IO" || native.Type == "Serialization" {
		e.Kind, e.Source, e.Retry = sdk.KindInvalid, sdk.SourceHost, false
		e.Hint = fmt.Sprintf("point path at a whole DuckDB file that version %s can read; where the message names a .wal file, "+
			"open the database once with the program that left it", engine.Version())
	}
	return e
}
