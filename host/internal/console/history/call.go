package history

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	calls "github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// maxArguments bounds the shown arguments, in characters.
const maxArguments = 6000

// Call is one tool call.
type Call struct {
	calls.Document
	// Shown are the arguments, indented and cut.
	Shown string `json:"-"`
	Took  string `json:"-"`
	// Alike are lists of calls that have something in common with it.
	Alike []Export `json:"alike"`
}

// one returns the view of a call.
// Errors: KindInvalid, KindNotFound.
func one(ctx context.Context, opened *store.Store, r *page.Request) (*page.View, error) {
	n, err := strconv.ParseInt(r.Param("call"), 10, 64)
	if err != nil || n < 1 {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "call=%s is no number of a call", strconv.Quote(result.Short(r.Param("call"), maxShown))).WithHint("choose one in the history")
	}
	found, _, err := opened.CallPage(ctx, store.CallFilter{After: n - 1}, store.Page{Below: n + 1, Limit: 1, Search: 1})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the call %d is not recorded", n).WithHint("look at the history; old calls are forgotten")
	}
	c := &found[0]
	d := Call{Document: calls.NewDocument(c), Shown: indented(c.Arguments), Took: took(c.Duration)}
	for _, of := range []struct{ label, name, value string }{
		{"of the same tool", "tool", c.Tool}, {"of the same client", "client", c.Client}, {"of the same principal", "principal", c.Principal}, {"on the same connection", "connection", c.Connection},
	} {
		if of.value != "" && len(of.value) <= maxParam {
			d.Alike = append(d.Alike, Export{"Calls " + of.label, page.Link(path) + "?" + url.Values{"show": {onlyCalls}, of.name: {of.value}}.Encode()})
		}
	}
	return &page.View{Title: "Call " + c.Request, Command: "loam history show " + c.Request, Data: d, Template: "history.call"}, nil
}

// indented returns recorded arguments for reading; arguments that were cut are no JSON and stay as they are.
func indented(arguments string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(arguments), "", "  ") == nil {
		arguments = out.String()
	}
	return result.Short(arguments, maxArguments)
}
