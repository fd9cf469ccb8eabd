package history

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	calls "github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// The values of the parameter export.
const (
	asCSV  = "csv"
	asJSON = "json"
)

// exportRows is how many rows of an export are in memory.
const exportRows = 1000

// export returns a file with all calls, or all events, of a filter, the latest first. Its CSV is made harmless for
// spreadsheets, as result.CSV says. A file of which the log could not be read to its end is cut off: its JSON is not
// closed.
// Errors: KindInvalid.
func export(from logs, r *page.Request, a *asked) (*page.View, error) {
	form := r.Param("export")
	if form != asCSV && form != asJSON || a.show == "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "an export is csv or json of calls or of reviews").WithHint("choose one below the history")
	}
	kind := "text/csv; charset=utf-8"
	if form == asJSON {
		kind = "application/json"
	}
	write := func(ctx context.Context, w io.Writer) error {
		var to writer = &csvWriter{csv: result.NewCSV(w)}
		if form == asJSON {
			to = &jsonWriter{w: w}
		}
		return a.export(ctx, from, to)
	}
	return &page.View{File: &page.File{Name: "loam-" + a.show + "-" + r.Now.UTC().Format("20060102-150405") + "." + form, Type: kind, Write: write}}, nil
}

// A writer writes records of one log in the form of a file.
type writer interface {
	begin(names []string) error
	// record writes fields in the order of the names, or the document that has the same.
	record(fields []string, document any) error
	end() error
}

// export writes all rows of the filter.
func (a *asked) export(ctx context.Context, from logs, to writer) error {
	names, next := callNames(), a.exportCalls
	if a.show == onlyReviews {
		names, next = eventNames(), a.exportEvents
	}
	if err := to.begin(names); err != nil {
		return err
	}
	p := store.Page{Limit: exportRows}
	for {
		rest, err := next(ctx, from, p, to)
		if err != nil {
			return err
		}
		if rest.Next == 0 {
			return to.end()
		}
		p.Below = rest.Next
	}
}

func callNames() []string {
	return []string{"id", "incident", "started_at", "elapsed_ms", "tool", "connection", "outcome", "rows", "bytes", "client", "client_version", "transport",
		"principal", "session", "arguments", "arguments_bytes"}
}

func (a *asked) exportCalls(ctx context.Context, from logs, p store.Page, to writer) (store.Rest, error) {
	found, rest, err := from.calls.CallPage(ctx, a.calls, p)
	for i := 0; err == nil && i < len(found); i++ {
		c := &found[i]
		rows := ""
		if c.Rows != store.NoRows {
			rows = strconv.Itoa(c.Rows)
		}
		err = to.record([]string{
			c.Request, c.Incident, c.Started.Format(time.RFC3339Nano), strconv.FormatFloat(float64(c.Duration.Microseconds())/1000, 'f', -1, 64), c.Tool, c.Connection, c.Outcome, rows,
			strconv.Itoa(c.Bytes), c.Client, c.ClientVersion, c.Transport, c.Principal, c.Session, c.Arguments, strconv.Itoa(c.ArgumentsBytes),
		}, calls.NewDocument(c))
	}
	return rest, err
}

func eventNames() []string {
	return []string{"n", "at", "verb", "change", "run", "actor", "channel", "detail"}
}

// event is an event in a file.
type event struct {
	N      int64           `json:"n"`
	At     time.Time       `json:"at"`
	Verb   string          `json:"verb"`
	Change string          `json:"change,omitempty"`
	Run    string          `json:"run,omitempty"`
	Actor  json.RawMessage `json:"actor"`
	Detail string          `json:"detail,omitempty"`
}

func (a *asked) exportEvents(ctx context.Context, from logs, p store.Page, to writer) (store.Rest, error) {
	found, rest, err := from.events.EventPage(ctx, a.events, p)
	for i := 0; err == nil && i < len(found); i++ {
		e := &found[i]
		by, broken := actor(e)
		if broken != nil {
			return rest, broken
		}
		err = to.record([]string{strconv.FormatInt(e.N, 10), e.At.Format(time.RFC3339Nano), e.Verb, e.Change, e.Run, by.Name(), string(by.Channel), e.Detail},
			event{e.N, e.At, e.Verb, e.Change, e.Run, json.RawMessage(e.Actor), e.Detail})
	}
	return rest, err
}

// csvWriter writes CSV with a header.
type csvWriter struct{ csv *result.CSV }

func (c *csvWriter) begin(names []string) error          { return c.csv.Record(names...) }
func (c *csvWriter) record(fields []string, _ any) error { return c.csv.Record(fields...) }
func (*csvWriter) end() error                            { return nil }

// jsonWriter writes an array with one document on each line.
type jsonWriter struct {
	w     io.Writer
	later bool // there is a record
}

func (j *jsonWriter) begin([]string) error {
	_, err := io.WriteString(j.w, "[")
	return err
}

func (j *jsonWriter) record(_ []string, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	before := "\n"
	if j.later {
		before = ",\n"
	}
	j.later = true
	_, err = j.w.Write(append([]byte(before), text...))
	return err
}

func (j *jsonWriter) end() error {
	_, err := io.WriteString(j.w, "\n]\n")
	return err
}
