package history

import (
	"context"
	"slices"

	"github.com/loam-data/loam/host/internal/store"
)

// Use is what a statement or a request of the semantic layer asked and was answered, once
// for each day on which it was. It says nothing of who asked or how often.
type Use struct {
	Connection string
	Day        int64  // since 1970, UTC
	SQL        string // "" of a request
	// Members are the measures and dimensions of a request that are named and no expressions.
	Members []string
}

// latestUses is how many of the latest calls are looked at.
const latestUses = 5000

// The tools whose calls read tables.
const (
	statementTool = "sql_execution"
	requestTool   = "sl_query"
)

// Uses returns what the latest calls used that were answered with rows, in no order.
// Arguments that are not kept, or were cut, say nothing. It opens no store where the history
// is off.
// Errors: those of the store and of Config.Settings.
func (r *Recorder) Uses(ctx context.Context) ([]Use, error) {
	settings, err := r.config.Settings(ctx)
	if err != nil || settings.Off {
		return nil, err
	}
	state, err := r.config.Store(ctx)
	if err != nil {
		return nil, err
	}
	answered, err := state.Answered(ctx, []string{statementTool, requestTool}, latestUses)
	if err != nil {
		return nil, err
	}
	uses := make([]Use, 0, len(answered))
	for _, a := range answered {
		sent := members([]byte(a.Arguments))
		u := Use{Connection: a.Connection, Day: a.Day}
		if a.Tool == statementTool {
			u.SQL, _ = sent["sql"].(string)
		} else {
			u.Members = slices.Concat(namesIn(sent["measures"]), namesIn(sent["dimensions"]))
		}
		if u.SQL != "" || len(u.Members) > 0 {
			uses = append(uses, u)
		}
	}
	return uses, nil
}

// namesIn are the names in a list of a request, which may be a single one, or objects that
// have one as their field.
func namesIn(v any) (names []string) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			names = append(names, namesIn(one)...)
		}
	case map[string]any:
		for _, member := range []string{"field", "dimension", "measure", "expr"} {
			names = append(names, namesIn(v[member])...)
		}
	case string:
		if plain(v) {
			names = append(names, v)
		}
	}
	return names
}

var _ Store = (*store.Store)(nil)
