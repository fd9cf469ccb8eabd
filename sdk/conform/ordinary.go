package conform

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// Excuse permits errors of ordinary statements on a server whose version lacks a function or a
// form, or whose account lacks a right.
type Excuse struct {
	// Code is the native code of the errors; "" = the error is the connector's own.
	Code string
	// Guard says that the guard refuses the statements, because the version's dialect does not
	// have them.
	Guard bool
	// Texts are parts of statements or of error messages. The excuse applies to a statement that
	// contains one of them; each must apply to at least one statement.
	Texts  []string
	Reason string
}

// sampled: with -short, one of so many ordinary statements runs.
const sampled = 20

// RunOrdinary tests that the ordinary statements of an engine run: each passes the guard, and is
// executed and, if the connector can, validated and explained. The session's database must have
// the objects of corpus.OrdinarySetup.
//
// A statement that fails needs an excuse, and each text of an excuse needs a statement; the latter
// is not checked with -short, which runs a sample. A refusal by the connector itself as not
// read-only cannot be excused.
func RunOrdinary(t *testing.T, session sdk.Session, dialects []dialect.Dialect, excuses []Excuse) {
	t.Helper()
	server := session.Server()
	d := server.DialectOf(dialects)
	e := excusing{excuses: excuses, used: map[string]int{}}
	if testing.Short() {
		t.Logf("-short: one of %d ordinary statements", sampled)
	}
	ran := 0
	for i, sql := range corpus.Ordinary(d) {
		if testing.Short() && i%sampled != 0 {
			continue
		}
		ran++
		err, guarded := readonly.Check(sql, d), true
		if err == nil {
			err, guarded = runOrdinary(t.Context(), session, sql), false
		}
		if err != nil && !e.excused(sql, sdk.AsError(err, sdk.SourceConnector), guarded) {
			f := sdk.AsError(err, sdk.SourceConnector)
			t.Errorf("%s\n%s (code %q, guard %t): %v (%s)", sql, f.Kind, f.Code, guarded, err, f.Hint)
		}
	}
	if !testing.Short() {
		for _, text := range e.unused() {
			t.Errorf("no statement needs the excuse for %q", text)
		}
	}
	t.Logf("%s %s as %s: %d statements, %d of them excused", server.Product, server.Version, server.CurrentUser, ran, e.count)
}

// excusing finds excuses, and counts the uses of their texts.
type excusing struct {
	excuses []Excuse
	used    map[string]int
	count   int
}

func (x *excusing) excused(sql string, e *sdk.Error, guarded bool) bool {
	if !guarded && e.Kind == sdk.KindNotReadOnly && e.Code == "" {
		return false
	}
	for _, excuse := range x.excuses {
		if excuse.Code != e.Code || excuse.Guard != guarded {
			continue
		}
		for _, text := range excuse.Texts {
			if strings.Contains(sql, text) || strings.Contains(e.Msg, text) {
				x.used[excuse.Code+text]++
				x.count++
				return true
			}
		}
	}
	return false
}

func (x *excusing) unused() (texts []string) {
	for _, excuse := range x.excuses {
		for _, text := range excuse.Texts {
			if x.used[excuse.Code+text] == 0 {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// runOrdinary executes a statement, then validates and explains it.
func runOrdinary(ctx context.Context, session sdk.Session, sql string) error {
	limits := sdk.Limits{MaxRows: 1000, Timeout: attackTime}
	w := sdk.NewRowWriter(discard{}, limits)
	if err := session.Execute(ctx, sdk.ExecuteRequest{SQL: sql, Limits: limits}, w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	for what, plan := range planners(session) {
		if err := plan(ctx, sql); sdk.KindOf(err) == sdk.KindNotReadOnly || sdk.KindOf(err) == sdk.KindInternal {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

// planners returns the session's calls that analyse a statement without running it. They may refuse
// statements without a plan, such as SHOW.
func planners(session sdk.Session) map[string]func(context.Context, string) error {
	all := map[string]func(context.Context, string) error{}
	if validator, ok := session.(sdk.Validator); ok {
		all["validated"] = func(ctx context.Context, sql string) error {
			_, err := validator.Validate(ctx, sdk.ValidateRequest{SQL: sql, Timeout: attackTime})
			return err
		}
	}
	if explainer, ok := session.(sdk.Explainer); ok {
		all["explained"] = func(ctx context.Context, sql string) error {
			_, err := explainer.Explain(ctx, sdk.ExplainRequest{SQL: sql, Timeout: attackTime})
			return err
		}
	}
	return all
}

// discard is a sink that discards everything.
type discard struct{}

func (discard) Started(string) error       { return nil }
func (discard) Columns([]sdk.Column) error { return nil }
func (discard) Batch(*sdk.Batch) error     { return nil }
func (discard) Progress(sdk.Progress)      {}
func (discard) Notice(sdk.Warning)         {}
