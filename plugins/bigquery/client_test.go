package bigquery

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/auth"
	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// fixed answers every job with the same result.
type fixed struct {
	schema, rows string        // JSON
	watched      chan struct{} // the result waits for two looks at the job. Optional.
	fails        int           // the status of every answer, 0 = none
	cut          bool          // the connection breaks in the middle of the rows
	asked        atomic.Int32
	fetches      atomic.Int32 // of rows
	looks        atomic.Int32
}

func (f *fixed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.asked.Add(1)
	switch {
	case f.fails > 0:
		w.WriteHeader(f.fails)
		_, _ = fmt.Fprint(w, `{"error": {"code": 503, "message": "later", "errors": [{"reason": "backendError", "message": "later"}]}}`)
	case strings.Contains(r.URL.Path, "/queries/"):
		if f.watched != nil {
			<-f.watched
		}
		if !strings.Contains(r.URL.RawQuery, "maxResults=0") {
			f.fetches.Add(1)
			if f.cut {
				w.Header().Set("Content-Length", "1000000")
			}
		}
		_, _ = fmt.Fprintf(w, `{"jobComplete": true, "totalRows": "1", "schema": {"fields": %s}, "rows": %s}`, f.schema, f.rows)
	default:
		if r.Method == http.MethodGet && f.watched != nil && f.looks.Add(1) == 2 {
			close(f.watched) // the first look was told
		}
		_, _ = fmt.Fprint(w, `{"jobReference": {"projectId": "p", "jobId": "j", "location": "EU"}, "configuration": {"query": {}}, "status": {"state": "DONE"},
			"statistics": {"totalBytesProcessed": "7", "query": {"totalBytesBilled": "10", "timeline": [{"completedUnits": "3", "pendingUnits": "4", "activeUnits": "2"}]}}}`)
	}
}

// token is a provider of one.
type token string

func (t token) Token(context.Context) (*auth.Token, error) { return &auth.Token{Value: string(t)}, nil }

// ask runs a statement against f by the real client.
func ask(t *testing.T, f *fixed) (*heardRows, error) {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	s := &Session{cfg: &config{Project: "p", Endpoint: server.URL, ConnectTimeout: time.Minute}, every: time.Millisecond}
	s.signer = &signer{cfg: s.cfg, tokens: token("t"), next: &http.Transport{}}
	if err := s.connectWith(s.signer); err != nil {
		t.Fatal(err)
	}
	out := &heardRows{}
	w := sdk.NewRowWriter(out, sdk.Limits{})
	err := guarded(func() error {
		_, err := (&call{s: s, limit: time.Minute}).write(t.Context(), &query{sql: "SELECT 1", caller: w})
		return err
	})
	if err == nil {
		err = w.Close()
	}
	out.sum = w.Summary()
	return out, err
}

// heardRows are the rows of a result as text.
type heardRows struct {
	columns  []sdk.Column
	rows     []string
	notices  []sdk.Warning
	progress []sdk.Progress
	sum      sdk.Summary
}

func (h *heardRows) Started(string) error { return nil }

func (h *heardRows) Columns(c []sdk.Column) error { h.columns = c; return nil }

func (h *heardRows) Progress(p sdk.Progress) { h.progress = append(h.progress, p) }

func (h *heardRows) Notice(n sdk.Warning) { h.notices = append(h.notices, n) }

func (h *heardRows) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		var cells []string
		for i := range b.Columns {
			v := b.Columns[i].Value(h.columns[i].Type, row)
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			cells = append(cells, fmt.Sprint(v))
		}
		h.rows = append(h.rows, strings.Join(cells, " | "))
	}
	return nil
}

// TestValuesOfTheService reads what the service sends, by the client and past what it
// does not keep.
func TestValuesOfTheService(t *testing.T) {
	t.Parallel()
	nested := `[{"name": "r", "type": "RECORD", "mode": "REPEATED", "fields": [
		{"name": "n", "type": "INTEGER"}, {"name": "d", "type": "NUMERIC"}, {"name": "f", "type": "FLOAT"}, {"name": "t", "type": "TIMESTAMP"},
		{"name": "b", "type": "BOOLEAN"}, {"name": "j", "type": "JSON"}, {"name": "l", "type": "INTEGER", "mode": "REPEATED"},
		{"name": "s", "type": "STRING"}, {"name": "i", "type": "INTERVAL"}, {"name": "at", "type": "TIME"},
		{"name": "g", "type": "RANGE", "rangeElementType": {"type": "DATE"}}]}]`
	one := func(typ string) string { return `[{"name": "v", "type": "` + typ + `"}]` }
	cell := func(value string) string { return `[{"f": [{"v": ` + value + `}]}]` }
	for _, c := range []struct{ name, schema, rows, want string }{
		{"signs of an interval", one("INTERVAL"), cell(`"0-0 0 -0:30:0"`), "0-0 0 -0:30:0"},
		{"a whole interval", one("INTERVAL"), cell(`"-1-2 3 -4:5:6.789"`), "-1-2 3 -4:5:6.789"},
		{"digits of a number", one("NUMERIC"), cell(`"1.10"`), "1.10"},
		{"a wide number", one("BIGNUMERIC"), cell(`"-0.00000000000000000000000000000000000001"`), "-0.00000000000000000000000000000000000001"},
		{"a name of today's SQL", one("INT64"), cell(`"9007199254740993"`), "9007199254740993"},
		{"a range", `[{"name": "v", "type": "RANGE", "rangeElementType": {"type": "DATE"}}]`, cell(`"[2024-02-29, UNBOUNDED)"`), "[2024-02-29, UNBOUNDED)"},
		{"a type of tomorrow", one("TOMORROW"), cell(`"text"`), "text"},
		{"no number", one("FLOAT"), cell(`"NaN"`), "NaN"},
		{"a list that is NULL", `[{"name": "v", "type": "DATE", "mode": "REPEATED"}]`, cell("null"), "[]"},
		{"dates", `[{"name": "v", "type": "DATE", "mode": "REPEATED"}]`, cell(`[{"v": "0001-01-01"}]`), `["0001-01-01"]`},
		{
			"a record", nested,
			cell(`[{"v": {"f": [{"v": "9007199254740993"}, {"v": "1.10"}, {"v": "NaN"}, {"v": "-1"}, {"v": "true"}, {"v": "{\"a\": 1}"}, {"v": [{"v": "1"}, {"v": "2"}]}, {"v": "it's \""}, {"v": "0-0 0 -0:30:0"}, {"v": "12:34:56.000001"}, {"v": "[2024-02-29, UNBOUNDED)"}]}}]`),
			`[{"n":"9007199254740993","d":"1.10","f":"NaN","t":"1969-12-31T23:59:59.999999Z","b":true,"j":{"a": 1},"l":[1,2],"s":"it's \"","i":"0-0 0 -0:30:0","at":"12:34:56.000001","g":"[2024-02-29, UNBOUNDED)"}]`,
		},
		{
			"a record of nothing", nested, cell(`[{"v": {"f": [{"v": null}, {"v": null}, {"v": null}, {"v": null}, {"v": null}, {"v": null}, {"v": []}, {"v": null}, {"v": null}, {"v": null}, {"v": null}]}}]`),
			`[{"n":null,"d":null,"f":null,"t":null,"b":null,"j":null,"l":[],"s":null,"i":null,"at":null,"g":null}]`,
		},
		{"no record", nested, cell("[]"), "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := ask(t, &fixed{schema: c.schema, rows: c.rows})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{c.want}, got.rows); diff != "" || got.sum.BytesBilled != 10 || got.sum.BytesScanned != 7 {
				t.Errorf("%+v, rows (-want +got):\n%s", got.sum, diff)
			}
		})
	}
}

// TestMalformedValues are errors of the answer: the connection is whole, and another
// attempt would read the same.
func TestMalformedValues(t *testing.T) {
	t.Parallel()
	record := `[{"name": "r", "type": "RECORD", "fields": [{"name": "n", "type": "INTEGER"}, {"name": "j", "type": "JSON"}]}]`
	list := `[{"name": "l", "type": "INTEGER", "mode": "REPEATED"}]`
	for schema, rows := range map[string][]string{
		`[{"name": "v", "type": "INTEGER"}]`:  {`[{"f": [{"v": "x"}]}]`, `[{"f": [{"v": 1}]}]`, `[{"f": []}]`, `[{"f": [{"v": [{"v": "1"}]}]}]`, `[{"f": [{"v": {"f": []}}]}]`, `{"f": 1}`},
		`[{"name": "v", "type": "DATE"}]`:     {`[{"f": [{"v": "2024-02-30"}]}]`, `[{"f": [{"v": ""}]}]`},
		`[{"name": "v", "type": "INTERVAL"}]`: {`[{"f": [{"v": {"f": [{"v": "1"}]}}]}]`},
		list:                                  {`[{"f": [{"v": "1"}]}]`, `[{"f": [{"v": ["1"]}]}]`, `[{"f": [{"v": [{"v": "x"}]}]}]`},
		record: {
			`[{"f": [{"v": {"f": [{"v": "1"}]}}]}]`, `[{"f": [{"v": {"f": "1"}}]}]`, `[{"f": [{"v": "1"}]}]`,
			`[{"f": [{"v": {"f": [{"v": "1"}, {"v": "{"}]}}]}]`, `[{"f": [{"v": {"f": [{"v": [{"v": "1"}]}, {}]}}]}]`,
		},
	} {
		for _, row := range rows {
			t.Run(row, func(t *testing.T) {
				t.Parallel()
				got, err := ask(t, &fixed{schema: schema, rows: row})
				if e := sdk.AsError(err, sdk.SourceWarehouse); err == nil || e.Kind != sdk.KindInternal || e.Retry || e.Hint == "" {
					t.Errorf("%s was read as %q, %v", row, got.rows, err)
				}
			})
		}
	}
}

// TestARequestIsSentOnce leaves it to the caller to try again.
func TestARequestIsSentOnce(t *testing.T) {
	t.Parallel()
	f := &fixed{fails: http.StatusServiceUnavailable}
	_, err := ask(t, f)
	if e := sdk.AsError(err, sdk.SourceWarehouse); err == nil || e.Kind != sdk.KindUnavailable || !e.Retry || e.Msg != "later" {
		t.Errorf("the service is away: %v", err)
	}
	if n := f.asked.Load(); n != 2 { // the job, and whether it came to be
		t.Errorf("%d requests", n)
	}
}

// TestABrokenAnswer is a lost connection, and is not asked for again.
func TestABrokenAnswer(t *testing.T) {
	t.Parallel()
	f := &fixed{schema: `[{"name": "v", "type": "STRING"}]`, rows: `[{"f": [{"v": "x"}]}]`, cut: true}
	got, err := ask(t, f)
	if e := sdk.AsError(err, sdk.SourceWarehouse); err == nil || e.Kind != sdk.KindUnavailable || !e.Retry {
		t.Errorf("read %q, %v", got.rows, err)
	}
	if n := f.fetches.Load(); n != 1 { // how often the job is looked at depends on the time that it takes
		t.Errorf("%d requests for rows", n)
	}
}

func TestProgressOfAJob(t *testing.T) {
	t.Parallel()
	f := &fixed{schema: `[{"name": "v", "type": "TIMESTAMP", "timestampPrecision": "12"}]`, rows: `[{"f": [{"v": "-1"}]}]`, watched: make(chan struct{})}
	got, err := ask(t, f)
	if err != nil {
		t.Fatal(err)
	}
	want := sdk.Progress{Phase: "query", Done: 3, Total: 9, Unit: "units of work"}
	if len(got.progress) == 0 || got.progress[0] != want {
		t.Errorf("progress %+v, want %+v", got.progress, want)
	}
	if len(got.rows) != 1 || len(got.notices) != 1 || !strings.Contains(got.notices[0].Message, "microseconds") {
		t.Errorf("rows %q, notices %v", got.rows, got.notices)
	}
}

// TestParameters that are empty are not NULL.
func TestParameters(t *testing.T) {
	t.Parallel()
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Configuration struct {
				Query struct{ QueryParameters []any }
			}
		}
		_ = json.NewDecoder(r.Body).Decode(&body) // what it lacks is missed below
		text, _ := json.Marshal(body.Configuration.Query.QueryParameters)
		sent = string(text)
		_, _ = fmt.Fprint(w, `{"jobReference": {}, "status": {"state": "DONE"}}`)
	}))
	t.Cleanup(server.Close)
	s := &Session{cfg: &config{Project: "p", Endpoint: server.URL}}
	if err := s.connectWith(http.DefaultTransport); err != nil {
		t.Fatal(err)
	}
	if _, err := (&call{s: s}).dryRun(t.Context(), "SELECT @p1", []sdk.Value{"", []byte{}, nil, int64(1), 0.1, true}); err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"p1","parameterType":{"type":"STRING"},"parameterValue":{"value":""}},` +
		`{"name":"p2","parameterType":{"type":"BYTES"},"parameterValue":{"value":""}},` +
		`{"name":"p3","parameterType":{"type":"STRING"},"parameterValue":{"value":null}},` +
		`{"name":"p4","parameterType":{"type":"INT64"},"parameterValue":{"value":"1"}},` +
		`{"name":"p5","parameterType":{"type":"FLOAT64"},"parameterValue":{"value":"0.1"}},` +
		`{"name":"p6","parameterType":{"type":"BOOL"},"parameterValue":{"value":"true"}}]`
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}
