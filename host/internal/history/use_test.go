package history

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Uses say what was read, of no one and without values; none where the history is off.
func TestUses(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	r := newRig(func(c *Config) { c.Store = func(context.Context) (Store, error) { return s, nil } })
	for _, sent := range []struct{ tool, arguments string }{
		{statementTool, `{"connectionId":"shop","sql":"select * from orders where name = 'Ada Secret'"}`},
		{statementTool, `{"connectionId":"shop","sql":"select * from orders where name = 'Bob Secret'"}`},
		{statementTool, `{"connectionId":"shop"}`},
		{requestTool, `{"connectionId":"shop","measures":["orders.revenue",{"expr":"sum(orders.amount)","name":"x"}],"dimensions":[{"field":"customers.region","granularity":"day"}]}`},
		{requestTool, `{"connectionId":"shop","measures":"turnover"}`},
		{requestTool, `{"connectionId":"shop"}`},
		{"wiki_search", `{"query":"Secret"}`},
		{statementTool, `{"connectionId":"shop","sql":"select 1 from t where x in (` + strings.Repeat("abc,", maxKept/4) + `1)"}`},
	} {
		c := call("x")
		c.Tool, c.Arguments, c.Rows = sent.tool, json.RawMessage(sent.arguments), 1
		c.Caller.Principal = "ada"
		r.Record(c)
	}
	r.Close(t.Context())
	want := []Use{
		{Connection: "shop", SQL: "select * from orders where name = ?"},
		{Connection: "shop", Members: []string{"orders.revenue", "customers.region"}},
		{Connection: "shop", Members: []string{"turnover"}},
	}
	got, err := r.Uses(t.Context())
	byText := cmpopts.SortSlices(func(a, b Use) bool { return a.SQL+strings.Join(a.Members, "") < b.SQL+strings.Join(b.Members, "") })
	if diff := cmp.Diff(want, got, byText, cmpopts.IgnoreFields(Use{}, "Day")); diff != "" || err != nil {
		t.Errorf("-want +got:\n%s, %v", diff, err)
	}
	r.settings.Off = true
	r.config.Store = func(context.Context) (Store, error) {
		t.Error("the store of a history that is off was opened")
		return s, nil
	}
	if got, err := r.Uses(t.Context()); len(got) > 0 || err != nil {
		t.Errorf("off: %v, %v", got, err)
	}
}
