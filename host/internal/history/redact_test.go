package history

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk/dialect"
)

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, sent, want string
		mode             Arguments
		tool             string
		dialects         []dialect.Dialect
	}{
		{
			name: "a statement", sent: `{"connectionId":"shop","sql":"SELECT a,  \"b c\", 'it''s', 12.5 FROM s.t -- why\nWHERE x IN (1,'Ada') AND y=z","maxRows":10}`,
			want: `{"connectionId":"shop","maxRows":10,"sql":"SELECT a, \"b c\", ?, ? FROM s.t WHERE x IN (?,?) AND y=z"}`,
		},
		{name: "a quoted name that can be a string", sent: `{"sql":"select * from t where m = \"ada@example.com\""}`, want: `{"sql":"select * from t where m = ?"}`},
		{name: "a statement without an end", sent: `{"sql":"select 'Ada"}`, want: `{"sql":"… (11 characters)"}`},
		{name: "no dialect", sent: `{"sql":"select 'Ada'"}`, want: `{"sql":"… (12 characters)"}`, dialects: []dialect.Dialect{}},
		{
			name: "the dialect that can read it", sent: `{"sql":"select 'a' as b"}`, want: `{"sql":"select ? as b"}`,
			dialects: []dialect.Dialect{{}, engine},
		},
		{name: "words", sent: `{"query":"where is Ada","limit":5}`, want: `{"limit":5,"query":"… (12 characters)"}`},
		{name: "one word", sent: `{"query":"Ada"}`, want: `{"query":"… (3 characters)"}`},
		{name: "values", sent: `{"values":["Ada","Grace H"],"connectionId":"shop"}`, want: `{"connectionId":"shop","values":["… (3 characters)","… (7 characters)"]}`},
		{
			name: "a request for numbers", mode: Shape,
			sent: `{"measures":["orders.revenue",{"expr":"sum(orders.amount) / 100","name":"x"}],"dimensions":[{"field":"orders.at","granularity":"day"}],` +
				`"filters":["orders.status = 'paid'",{"field":"c.name","op":"equals","values":["Ada",5]}],"date_ranges":[{"field":"o.at","from":"2024-01-01"}],"include_empty":true}`,
			want: `{"date_ranges":[{"field":"o.at","from":"… (10 characters)"}],"dimensions":[{"field":"orders.at","granularity":"day"}],` +
				`"filters":["orders.status = ?",{"field":"c.name","op":"equals","values":["… (3 characters)","…"]}],"include_empty":true,` +
				`"measures":["orders.revenue",{"expr":"sum(orders.amount) / ?","name":"x"}]}`,
		},
		{name: "tables", sent: `{"entities":[{"table":{"db":"s","name":"t"},"columns":["a"]},{"table":"s.t"}]}`, want: `{"entities":[{"columns":["a"],"table":{"db":"s","name":"t"}},{"table":"s.t"}]}`},
		{name: "a connection that is an address", sent: `{"connectionId":"pg://ada:pw@host"}`, want: `{"connectionId":"… (16 characters)"}`},
		{name: "a resource", sent: `{"uri":"skill://riding/SKILL.md"}`, want: `{"uri":"skill://riding/SKILL.md"}`},
		{name: "an address for a resource", sent: `{"uri":"pg://ada:pw@host"}`, want: `{"uri":"… (16 characters)"}`},
		{name: "a new member", sent: `{"password":"hunter2","pin":1234,"on":true,"none":null}`, want: `{"none":null,"on":true,"password":"… (7 characters)","pin":"…"}`},
		{name: "a member that is a value", sent: `{"ada@example.com":1}`, want: `{"…":"…"}`},
		{
			name: "values of parameters, whose members the caller names", sent: `{"name":"top","parameters":{"name":"Smith","n":5,"sql":"secret","key":["a"],"on":true}}`,
			want: `{"name":"top","parameters":{"key":["… (1 characters)"],"n":"…","name":"… (5 characters)","on":true,"sql":"… (6 characters)"}}`,
		},
		{name: "no object", sent: `["Ada"]`, want: ``},
		{name: "no JSON", sent: `{"sql":`, want: ``},
		{name: "nothing", sent: ``, want: ``},
		{name: "all", sent: `{"query": "Ada"}`, want: `{"query": "Ada"}`, mode: Full},
		{
			name: "a text to remember", mode: Full, tool: "memory_ingest", sent: `{"content":"ARR means the password is hunter2.","connectionId":"shop"}`,
			want: `{"connectionId":"shop","content":"… (34 characters)"}`,
		},
		{name: "a text to remember by another name", mode: Full, tool: "memory_ingest", sent: `{"text":"hunter2"}`, want: `{"text":"… (7 characters)"}`},
		{
			name: "files", mode: Full, tool: "ingest_source_files", sent: `{"repo":"handbook","files":[{"path":"a.md","content":"hunter2","parsedChunks":[{"name":"hunter2"}]}],"deleted":["b.md"]}`,
			want: `{"deleted":["… (4 characters)"],"files":[{"content":"… (7 characters)","parsedChunks":[{"name":"… (7 characters)"}],"path":"… (4 characters)"}],"repo":"handbook"}`,
		},
		{
			name: "a question", tool: askTool, sent: `{"tool":"sl_query","code":"ambiguous_period","choices":["2024-01-01 to 2024-12-31","last fiscal_year","customers.name"],"choice":"customers.name"}`,
			want: `{"choice":"customers.name","choices":["2024-01-01 to 2024-12-31","last fiscal_year","customers.name"],"code":"ambiguous_period","tool":"sl_query"}`,
		},
		{name: "a question about values", tool: askTool, sent: `{"tool":"sl_query","values":["Ada"],"value":"Ada","choice":"ada@example.com"}`, want: `{"choice":"… (15 characters)","tool":"sl_query","value":"… (3 characters)","values":["… (3 characters)"]}`},
		{name: "choices of another tool", sent: `{"choices":["Ada"],"tool":"Ada"}`, want: `{"choices":["… (3 characters)"],"tool":"… (3 characters)"}`},
		{name: "none", sent: `{"query":"Ada"}`, want: ``, mode: None},
		{name: "long", sent: `{"sql":"` + strings.Repeat("é", maxKept) + `"}`, want: `{"sql":"` + strings.Repeat("é", (maxKept-11)/2) + `…`, mode: Full},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mode, dialects := tt.mode, tt.dialects
			if mode == "" {
				mode = Shape
			}
			if dialects == nil {
				dialects = []dialect.Dialect{engine}
			}
			r := newRig(func(c *Config) { c.Dialects = func(string) []dialect.Dialect { return dialects } })
			r.settings.Arguments = mode
			c := call("x")
			c.Arguments = []byte(tt.sent)
			if tt.tool != "" {
				c.Tool = tt.tool
			}
			r.Record(c)
			r.Close(t.Context())
			got := r.shelf.calls[0]
			if diff := cmp.Diff(tt.want, got.Arguments); diff != "" || got.ArgumentsBytes != len(tt.sent) {
				t.Errorf("of %d bytes (-want +got):\n%s", got.ArgumentsBytes, diff)
			}
			if len(got.Arguments) > maxKept || !utf8.ValidString(got.Arguments) {
				t.Errorf("%d bytes", len(got.Arguments))
			}
		})
	}
}

// The connection is the one that was worked on, else the one that was named.
func TestConnection(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, used, sent, want string }{
		{"used", "shop", `{"connectionId":"other"}`, "shop"},
		{"named", "", `{"connectionId":"other"}`, "other"},
		{"named otherwise", "", `{"connection_id":"other"}`, "other"},
		{"none", "", `{}`, ""},
		{"a list", "", `{"connectionId":["a"]}`, ""},
		{"a value", "", `{"connectionId":"ada@example.com"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(nil)
			c := call("x")
			c.Connection, c.Arguments = tt.used, []byte(tt.sent)
			r.Record(c)
			r.Close(t.Context())
			if got := r.shelf.calls[0].Connection; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What a client calls itself is on one line and bounded.
func TestCaller(t *testing.T) {
	t.Parallel()
	r := newRig(nil)
	c := call("x")
	c.Caller = caller.Record{Client: "a\x1b[31m\nb\xff", Version: strings.Repeat("1", 1000), Transport: "http", Principal: "token", Session: "s"}
	r.Record(c)
	r.Close(t.Context())
	got := r.shelf.calls[0]
	got.ID = 0
	if got.Client != "a [31m b�" || len(got.ClientVersion) != maxWord || got.Transport != "http" || got.Principal != "token" || got.Session != "s" {
		t.Errorf("%+v", got)
	}
}

// A fault in looking at arguments costs these arguments, not the host.
func TestFaultyDialect(t *testing.T) {
	t.Parallel()
	r := newRig(func(c *Config) { c.Dialects = func(string) []dialect.Dialect { panic("no") } })
	c := call("x")
	c.Arguments = []byte(`{"sql":"select 1"}`)
	r.Record(c)
	r.Close(context.Background())
	if got := r.shelf.calls[0]; got.Arguments != "" || got.Outcome != store.OutcomeOK || !strings.Contains(r.log.String(), "could not be kept") {
		t.Errorf("%+v\n%s", got, &r.log)
	}
}

// Arguments that come again are not read again, until they would be read otherwise;
// what is kept of them for that has bounds.
func TestArgumentsThatComeAgain(t *testing.T) {
	t.Parallel()
	dialects := []dialect.Dialect{engine}
	r := newRig(func(c *Config) { c.Dialects = func(string) []dialect.Dialect { return dialects } })
	row := func(used, sent string) string {
		r.w.dialects = map[string][]dialect.Dialect{} // of another turn
		c := call("x")
		c.Connection, c.Arguments = used, []byte(sent)
		got := r.w.row(&c)
		return got.Connection + " " + got.Arguments
	}
	const sent, want = `{"connectionId":"shop","sql":"select 'Ada'"}`, `{"connectionId":"shop","sql":"select ?"}`
	for range 2 {
		for used, connection := range map[string]string{"": "shop", "crm": "crm"} {
			if got := row(used, sent); got != connection+" "+want {
				t.Errorf("on %q: %s", used, got)
			}
		}
	}
	if got := len(r.w.shapes.known); got != 2 {
		t.Errorf("%d are kept", got)
	}
	dialects = nil
	if got := row("", sent); got != `shop {"connectionId":"shop","sql":"… (12 characters)"}` {
		t.Errorf("with a dialect that cannot read it: %s", got)
	}
	row("", `{"sql":"`+strings.Repeat("x", maxKept)+`"}`)
	if got := len(r.w.shapes.known); got != 2 {
		t.Errorf("%d are kept with a long one", got)
	}
	for i := range 2 * maxShapes {
		row("", `{"limit":`+strconv.Itoa(i)+`}`)
		if got := len(r.w.shapes.known); got > maxShapes {
			t.Fatalf("%d are kept", got)
		}
	}
}
