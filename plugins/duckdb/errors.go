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

// verdict is what a class of errors means to the caller.
type verdict struct {
	kind   sdk.Kind
	source sdk.Source
	retry  bool
	hint   string
}

const dialectHint = "correct the statement; it is DuckDB's dialect"

// verdicts by the engine's class of an error.
// Source: exception.cpp of DuckDB 1.5.
var verdicts = map[string]verdict{
	"Parser":                 {sdk.KindSyntax, sdk.SourceCaller, false, dialectHint},
	"Syntax":                 {sdk.KindSyntax, sdk.SourceCaller, false, dialectHint},
	"Binder":                 {sdk.KindSyntax, sdk.SourceCaller, false, dialectHint},
	"Catalog":                {sdk.KindSyntax, sdk.SourceCaller, false, dialectHint},
	"Planner":                {sdk.KindSyntax, sdk.SourceCaller, false, dialectHint},
	"Expression":             {sdk.KindSyntax, sdk.SourceCaller, false, dialectHint},
	"Unknown Type":           {sdk.KindSyntax, sdk.SourceCaller, false, dialectHint},
	"Invalid type":           {sdk.KindSyntax, sdk.SourceCaller, false, dialectHint},
	"Conversion":             {sdk.KindInvalid, sdk.SourceCaller, false, "use TRY_CAST for values that may not convert, or filter them out"},
	"Mismatch Type":          {sdk.KindInvalid, sdk.SourceCaller, false, "convert the value with CAST"},
	"Out of Range":           {sdk.KindInvalid, sdk.SourceCaller, false, "convert to a wider type, such as HUGEINT or DOUBLE, before computing"},
	"Decimal":                {sdk.KindInvalid, sdk.SourceCaller, false, "convert to a wider DECIMAL or to DOUBLE before computing"},
	"Divide by Zero":         {sdk.KindInvalid, sdk.SourceCaller, false, "divide by NULLIF(x, 0)"},
	"Invalid Input":          {sdk.KindInvalid, sdk.SourceCaller, false, "correct the statement or the values it is about"},
	"Sequence":               {sdk.KindInvalid, sdk.SourceCaller, false, "leave the sequence out: it cannot advance here"},
	"Constraint":             {sdk.KindInvalid, sdk.SourceCaller, false, "correct the statement"},
	"Parameter Not Resolved": {sdk.KindInvalid, sdk.SourceCaller, false, "say the parameter's type: CAST($1 AS INTEGER)"},
	"Parameter Not Allowed":  {sdk.KindInvalid, sdk.SourceCaller, false, "write a literal in place of this parameter"},
	"Not implemented":        {sdk.KindUnsupported, sdk.SourceCaller, false, "write the statement without this feature"},
	"Missing Extension":      {sdk.KindUnsupported, sdk.SourceCaller, false, "do without the extension: none can be loaded here"},
	"Extension Autoloading":  {sdk.KindUnsupported, sdk.SourceCaller, false, "do without the extension: none can be loaded here"},
	"HTTP":                   {sdk.KindUnsupported, sdk.SourceCaller, false, "read only the configured file and folders"},
	"Network":                {sdk.KindUnsupported, sdk.SourceCaller, false, "read only the configured file and folders"},
	"Permission":             {sdk.KindDenied, sdk.SourceCaller, false, "read only the configured file and folders: their files are tables"},
	"Settings":               {sdk.KindNotReadOnly, sdk.SourceCaller, false, "leave the settings as they are"},
	"Invalid Configuration":  {sdk.KindInvalid, sdk.SourceHost, false, "correct the connection's configuration"},
	"TransactionContext":     {sdk.KindNotReadOnly, sdk.SourceCaller, false, "only statements that read can run"},
	"Out of Memory":          {sdk.KindLimit, sdk.SourceCaller, false, "select less (a filter, fewer columns, a smaller GROUP BY or ORDER BY), or raise limits.memory of the connection"},
	"Object Size":            {sdk.KindLimit, sdk.SourceCaller, false, "select parts of the long value with substring()"},
	"INTERRUPT":              {sdk.KindCanceled, sdk.SourceCaller, false, ""},
	"IO":                     {sdk.KindUnavailable, sdk.SourceWarehouse, true, "check that the file is whole and readable, and scan the connection if files were moved"},
	"Serialization":          {sdk.KindUnavailable, sdk.SourceWarehouse, false, "open the file with the version of DuckDB that wrote it and export it again"},
	"Connection":             {sdk.KindConflict, sdk.SourceWarehouse, true, "repeat the call"},
	"FATAL":                  {sdk.KindUnavailable, sdk.SourceConnector, true, "repeat the call: the database is opened anew"},
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
		v = verdict{kind: sdk.KindInternal, source: sdk.SourceConnector}
	}
	e := sdk.Errorf(v.kind, v.source, "%s", message(native))
	e.Hint, e.Retry, e.Code, e.Err = v.hint, v.retry, native.Type, native
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
