package history

import (
	"context"
	"slices"

	"github.com/loam-data/loam/host/internal/store"
)

// Use is a statement, or a request to the semantic layer, that returned rows on a day. Equal
// ones of a day are one Use; it does not say who sent them or how often.
type Use struct {
	Connection string
	Day        int64  // days since 1970-01-01, UTC
	SQL        string // "" = it is a request
	// Members are the measures and dimensions of a request, without expressions.
	Members []string
}

// latestUses is the number of latest calls that Uses reads.
const latestUses = 5000

// The tools whose calls are uses.
const (
	statementTool = "sql_execution"
	requestTool   = "sl_query"
)

// Uses returns the uses among the latest 5,000 calls of all tools, in no order. Calls whose
// arguments were not recorded or were cut are not among them. With the history off it returns
// none and opens no store.
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

// namesIn returns the names in a list of a request. An element is a name, or an object with a
// name as one of its members.
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
