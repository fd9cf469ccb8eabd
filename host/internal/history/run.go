package history

import (
	"context"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Run is a recorded run of a statement.
type Run struct {
	Connection string
	SQL        string // as it was recorded
	Started    time.Time
	Elapsed    time.Duration
	Outcome    string // store.OutcomeOK or an error's code
	Rows       int    // store.NoRows = it did not end
}

// RunsFilter chooses runs; a zero field chooses all.
type RunsFilter struct {
	Since      time.Time
	Connection string
	Outcome    string // a code, store.OutcomeOK, or store.AnyFailure
	By         *store.CallBy
}

// Runs are the runs that a filter chooses, oldest first, and what is recorded of their arguments now.
type Runs struct {
	All  []Run
	Kept Arguments
	// Unkept counts the runs whose statement was not recorded or was cut.
	Unkept int
	// More: there are earlier runs than the latest 20,000.
	More bool
}

// latestRuns is the number of latest calls that Runs reads.
const latestRuns = 20_000

// statementTools are the tools that run the statement in their arguments.
var statementTools = []string{statementTool, "query"}

// Runs returns the recorded runs of statements that clients wrote.
// Errors: KindUnsupported while the history or its arguments are off; those of the store and of Config.Settings.
func (r *Recorder) Runs(ctx context.Context, f RunsFilter) (runs Runs, err error) {
	settings, err := r.config.Settings(ctx)
	switch {
	case err != nil:
		return runs, err
	case settings.Off:
		return runs, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "no calls are recorded: loam.yaml has history: off").
			WithHint("a person removes history: off from loam.yaml, which records the form of statements without values")
	case settings.Arguments == None:
		return runs, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "no statements are recorded: loam.yaml has history.arguments: none").
			WithHint("a person sets history.arguments to shape in loam.yaml, which records the form of statements without values")
	}
	state, err := r.config.Store(ctx)
	if err != nil {
		return runs, err
	}
	calls, err := state.Calls(ctx, store.CallFilter{
		Tools: statementTools, Connection: f.Connection, Outcome: f.Outcome, Since: f.Since, By: f.By, Limit: latestRuns,
	})
	if err != nil {
		return runs, err
	}
	runs.Kept, runs.More = settings.Arguments, len(calls) == latestRuns
	shape := r.shaper()
	for _, c := range calls {
		sql, _ := members([]byte(c.Arguments))["sql"].(string)
		if sql == "" {
			runs.Unkept++
			continue
		}
		if settings.Arguments == Shape { // it may have been recorded as it was sent, before that was set
			sql = shape(c.Connection, sql)
		}
		runs.All = append(runs.All, Run{Connection: c.Connection, SQL: sql, Started: c.Started, Elapsed: c.Duration, Outcome: c.Outcome, Rows: c.Rows})
	}
	return runs, nil
}

// shaper returns a function that removes the literals of a statement, those of a connection by its dialects.
func (r *Recorder) shaper() func(connection, sql string) string {
	type key struct{ connection, sql string }
	masks, known := map[string]*mask{}, map[key]string{}
	return func(connection, sql string) string {
		k := key{connection, sql}
		if _, ok := known[k]; !ok {
			if masks[connection] == nil {
				masks[connection] = &mask{dialects: r.config.Dialects(connection)}
			}
			known[k] = sql
			if !strings.HasPrefix(sql, hiddenPrefix) {
				known[k] = masks[connection].statement(sql)
			}
		}
		return known[k]
	}
}
