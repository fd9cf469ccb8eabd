package sqlkit

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Engine is the engine-specific functions of a Session. R is the resource of a call
// (a Reading, a transaction, a client), S is a parsed statement of the caller.
type Engine[R, S any] struct {
	// Parse checks a caller's text for faults that the engine does not detect.
	Parse func(sql string) (S, error)
	// Read runs f with the resource of a call: a read-only transaction on one
	// connection, say. No statement of f takes longer than limit, in the engine; when
	// ctx ends, Read returns after the statement has ended there.
	// Errors: mapped for the caller.
	Read func(ctx context.Context, limit time.Duration, f func(context.Context, R) error) error
	// Snapshot is Read for statements that must see one state of the data: those of a
	// scan and of a profile. nil = Read.
	Snapshot func(ctx context.Context, limit time.Duration, f func(context.Context, R) error) error
	// Check lets the engine accept a statement as a read on the resource that then
	// runs it. nil = Execute, Explain and Validate do so.
	Check func(R, context.Context, S, []sdk.Value) error
	// Execute runs a statement and writes its result.
	Execute func(R, context.Context, S, *sdk.ExecuteRequest, *sdk.RowWriter) error
	// Scan writes the tables.
	Scan func(R, context.Context, sdk.ScanRequest, sdk.ScanWriter) (sdk.ScanSummary, error)
	// Ping checks that the engine answers.
	Ping func(R, context.Context) error
	// Suggest adds likely corrections to a statement's error, where it is about a
	// misspelt name. It runs after the statement's Read. Optional.
	Suggest func(context.Context, S, *sdk.Error)
	// Close frees the session's resources, after its calls.
	Close func(context.Context) error

	// What follows is for Warehouse alone.

	// Shows reports whether a statement is a SHOW and has no plan.
	Shows func(S) bool
	// Explain completes an explanation without estimates.
	Explain func(R, context.Context, S, []sdk.Value, *sdk.Explanation) error
	// Validate lets the engine check a statement without running it. Check is not
	// called before, because parameters have no values.
	Validate func(R, context.Context, S, *sdk.Validation) error
	// Profile says how a table is profiled.
	Profile func(R, context.Context, *sdk.ProfileRequest, sdk.ProfileWriter) (Profiling, error)
	// Tables lists the names of tables from which the error about a missing table to
	// profile suggests similar ones. Optional.
	Tables func(context.Context, sdk.TableRef) ([]string, error)
	// QueryLog writes the entries that a request asks for, at most MaxEntries, which
	// is set.
	QueryLog func(R, context.Context, *sdk.QueryLogRequest, sdk.QueryLogWriter) error
}

// Session is a session of an Engine.
type Session[R, S any] struct {
	Life
	Engine Engine[R, S]
}

// Warehouse is a Session with the optional methods Explain, Validate, Profile and
// QueryLog.
type Warehouse[R, S any] struct {
	Session[R, S]
}

var (
	_ sdk.Session     = (*Warehouse[int, int])(nil)
	_ sdk.Explainer   = (*Warehouse[int, int])(nil)
	_ sdk.Validator   = (*Warehouse[int, int])(nil)
	_ sdk.Profiler    = (*Warehouse[int, int])(nil)
	_ sdk.QueryLogger = (*Warehouse[int, int])(nil)
)

// Run runs f as a call that the connector itself makes, within the default time limit of a
// statement.
func (s *Session[R, S]) Run(ctx context.Context, f func(R, context.Context) error) error {
	return s.read(ctx, 0, func(ctx context.Context, r R) error { return f(r, ctx) })
}

// Names returns a function for Suggest that runs a query and returns the first column of
// its rows.
func (s *Session[R, S]) Names(query func(R, context.Context, func(Row) error) error) func(context.Context) ([]string, error) {
	return func(ctx context.Context) (names []string, err error) {
		err = s.Run(ctx, func(r R, ctx context.Context) error {
			return query(r, ctx, func(row Row) error {
				names = append(names, row.Text(0))
				return nil
			})
		})
		return names, err
	}
}

// Reads returns f as Stages.Read.
func (s *Session[R, S]) Reads(f func(R, context.Context, *sdk.TestStep) error) func(context.Context, *sdk.TestStep) error {
	return func(ctx context.Context, step *sdk.TestStep) error {
		return s.Run(ctx, func(r R, ctx context.Context) error { return f(r, ctx, step) })
	}
}

// Writes returns f as Stages.Write.
func (s *Session[R, S]) Writes(f func(R, context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error { return s.Run(ctx, f) }
}

// read runs f as a call of the session.
func (s *Session[R, S]) read(ctx context.Context, limit time.Duration, f func(context.Context, R) error) error {
	return s.Calls.Run(ctx, 0, 0, func(ctx context.Context) error { return s.Engine.Read(ctx, s.Limit(limit), f) })
}

// checked is f behind the engine's own check of a statement.
func (s *Session[R, S]) checked(st S, params []sdk.Value, f func(context.Context, R) error) func(context.Context, R) error {
	if s.Engine.Check == nil {
		return f
	}
	return func(ctx context.Context, r R) error {
		if err := s.Engine.Check(r, ctx, st, params); err != nil {
			return err
		}
		return f(ctx, r)
	}
}

// about runs f about a statement of a caller.
func (s *Session[R, S]) about(ctx context.Context, limit time.Duration, st S, f func(context.Context, R) error) error {
	return s.Calls.Run(ctx, 0, 0, func(ctx context.Context) error {
		err := s.Engine.Read(ctx, s.Limit(limit), f)
		if e, ok := errors.AsType[*sdk.Error](err); ok && s.Engine.Suggest != nil {
			s.Engine.Suggest(ctx, st, e)
		}
		return err
	})
}

// Ping implements sdk.Session.
func (s *Session[R, S]) Ping(ctx context.Context) error {
	return s.read(ctx, 0, func(ctx context.Context, r R) error { return s.Engine.Ping(r, ctx) })
}

// Execute implements sdk.Session.
func (s *Session[R, S]) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	st, err := s.parse(req.SQL, req.Params)
	if err != nil {
		return err
	}
	return s.about(ctx, req.Limits.Timeout, st, s.checked(st, req.Params, func(ctx context.Context, r R) error {
		return s.Engine.Execute(r, ctx, st, &req, w)
	}))
}

// parse looks at a statement and at the types of its parameters.
func (s *Session[R, S]) parse(sql string, params []sdk.Value) (S, error) {
	st, err := s.Engine.Parse(sql)
	if err != nil {
		return st, err
	}
	for i, v := range params {
		switch v.(type) {
		case nil, bool, int64, float64, string, []byte:
		default:
			return st, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "parameter %d has the type %T", i+1, v).
				WithHint("bind null, a boolean, a number, a string or bytes")
		}
	}
	return st, nil
}

// Scan implements sdk.Session.
func (s *Session[R, S]) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sum sdk.ScanSummary, err error) {
	err = s.Calls.Run(ctx, 0, 0, func(ctx context.Context) error {
		return s.snapshot(ctx, s.Limit(0), func(ctx context.Context, r R) (err error) {
			sum, err = s.Engine.Scan(r, ctx, req, w)
			return err
		})
	})
	return sum, err
}

func (s *Session[R, S]) snapshot(ctx context.Context, limit time.Duration, f func(context.Context, R) error) error {
	if s.Engine.Snapshot != nil {
		return s.Engine.Snapshot(ctx, limit, f)
	}
	return s.Engine.Read(ctx, limit, f)
}

// Close implements sdk.Session.
func (s *Session[R, S]) Close(ctx context.Context) error {
	return errors.Join(s.Calls.Close(ctx), s.Engine.Close(ctx))
}

// Explain implements sdk.Explainer.
func (s *Warehouse[R, S]) Explain(ctx context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	plan := sdk.Explanation{EstimatedRows: -1, EstimatedBytes: -1, EstimatedCostUSD: -1}
	st, err := s.parse(req.SQL, req.Params)
	if err != nil {
		return plan, err
	}
	if s.Engine.Shows(st) {
		return plan, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "this statement has no plan: it only shows something").
			WithHint("send the query itself, without EXPLAIN")
	}
	err = s.about(ctx, req.Timeout, st, s.checked(st, req.Params, func(ctx context.Context, r R) error {
		return s.Engine.Explain(r, ctx, st, req.Params, &plan)
	}))
	return plan, err
}

// Validate implements sdk.Validator.
func (s *Warehouse[R, S]) Validate(ctx context.Context, req sdk.ValidateRequest) (v sdk.Validation, err error) {
	st, err := s.parse(req.SQL, nil)
	if err != nil {
		return v, err
	}
	err = s.about(ctx, req.Timeout, st, func(ctx context.Context, r R) error { return s.Engine.Validate(r, ctx, st, &v) })
	return v, err
}

// Profile implements sdk.Profiler.
func (s *Warehouse[R, S]) Profile(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
	planned := false
	return s.Calls.Run(ctx, 0, 0, func(ctx context.Context) error {
		err := s.snapshot(ctx, s.Limit(req.Limits.Timeout), func(ctx context.Context, r R) error {
			profiling, err := s.Engine.Profile(r, ctx, &req, w)
			if err != nil {
				return err
			}
			planned = true
			return Profile(ctx, profiling, &req, w)
		})
		if s.Engine.Tables == nil || planned || sdk.KindOf(err) != sdk.KindNotFound {
			return err
		}
		return Suggest(ctx, err, req.Table.Name, func(ctx context.Context) ([]string, error) { return s.Engine.Tables(ctx, req.Table) })
	})
}

// defaultLogEntries is what a QueryLogRequest without a bound gets.
const defaultLogEntries = 1000

// QueryLog implements sdk.QueryLogger.
func (s *Warehouse[R, S]) QueryLog(ctx context.Context, req sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	req.MaxEntries = cmp.Or(max(req.MaxEntries, 0), defaultLogEntries)
	return s.read(ctx, 0, func(ctx context.Context, r R) error { return s.Engine.QueryLog(r, ctx, &req, w) })
}
