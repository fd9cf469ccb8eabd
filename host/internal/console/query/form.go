package query

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// The bounds of a form.
const (
	maxSQL    = 100_000 // characters
	maxFields = 8       // measures, dimensions and filters, each
	maxRows   = 10_000  // as of sql_execution
)

// The tabs.
const (
	tabSQL      = "sql"
	tabMeasures = "measures"
)

// Form is what a person asks for, as typed.
type Form struct {
	Tab        string `json:"tab"`
	Connection string `json:"connection"`
	// Rows is the row limit as typed; Chart asks for a picture of the result.
	Rows  string `json:"rows"`
	Chart bool   `json:"chart,omitempty"`

	SQL string `json:"sql,omitempty"`

	Measures   []string    `json:"measures,omitempty"`
	Dimensions []Dimension `json:"dimensions,omitempty"`
	Filters    []string    `json:"filters,omitempty"`
	// Range is a range of time in words, "last 12 months"; From and To are its ends.
	Range string `json:"range,omitempty"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	// Order is a column, with - before it for the largest first.
	Order string `json:"order,omitempty"`

	// Name, Title and About are those of a query that is saved.
	Name  string `json:"name,omitempty"`
	Title string `json:"title,omitempty"`
	About string `json:"about,omitempty"`
}

// Dimension is a dimension with the period of a time.
type Dimension struct {
	Field string `json:"field"`
	Grain string `json:"grain,omitempty"`
}

// read reads a form from the fields of a POST or the parameters of an address.
func read(v url.Values) Form {
	trimmed := func(name string) string { return strings.TrimSpace(v.Get(name)) }
	f := Form{
		Tab: trimmed("tab"), Connection: trimmed("connection"), Rows: cmp.Or(trimmed("rows"), strconv.Itoa(query.DefaultMaxRows)), Chart: trimmed("chart") != "",
		SQL: strings.ReplaceAll(v.Get("sql"), "\r\n", "\n"), Measures: some(v["m"]), Filters: some(v["f"]), Range: trimmed("range"), From: trimmed("from"), To: trimmed("to"),
		Order: trimmed("order"), Name: trimmed("name"), Title: trimmed("title"), About: strings.TrimSpace(strings.ReplaceAll(v.Get("about"), "\r\n", "\n")),
	}
	if f.Tab != tabMeasures {
		f.Tab = tabSQL
	}
	for i, field := range v["d"] {
		if field = strings.TrimSpace(field); field != "" && len(f.Dimensions) < maxFields {
			d := Dimension{Field: field}
			if i < len(v["g"]) {
				d.Grain = strings.TrimSpace(v["g"][i])
			}
			f.Dimensions = append(f.Dimensions, d)
		}
	}
	return f
}

// some returns the texts that are not empty.
func some(all []string) (out []string) {
	for _, s := range all {
		if s = strings.TrimSpace(s); s != "" && len(out) < maxFields {
			out = append(out, s)
		}
	}
	return out
}

// rows returns the row limit.
func (f *Form) rows() (int, error) {
	n, err := strconv.Atoi(f.Rows)
	if err != nil || n < 1 || n > maxRows {
		return 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the row limit %q is no number from 1 to %d", shown.Cut(f.Rows, 20), maxRows).WithHint("write a number into the field Rows")
	}
	return n, nil
}

// check refuses a form with nothing to run.
func (f *Form) check() error {
	switch {
	case f.Connection == "":
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no connection is chosen").WithHint("choose one; loam connection list shows them")
	case f.Tab == tabMeasures && len(f.Measures)+len(f.Dimensions) == 0:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no measure and no dimension is chosen").WithHint("write a measure, such as orders.revenue")
	case f.Tab == tabSQL && strings.TrimSpace(f.SQL) == "":
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no statement").WithHint("write one into the field SQL")
	case utf8.RuneCountInString(f.SQL) > maxSQL:
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the statement has more than %d characters", maxSQL).WithHint("write less, or run it with loam sql --file")
	}
	_, err := f.rows()
	return err
}

// body returns the request to the semantic layer.
func (f *Form) body() (json.RawMessage, error) {
	limit, err := f.rows()
	if err != nil {
		return nil, err
	}
	body := map[string]any{"measures": f.Measures, "limit": limit}
	var dimensions []map[string]string
	for _, d := range f.Dimensions {
		one := map[string]string{"field": d.Field}
		if d.Grain != "" {
			one["granularity"] = d.Grain
		}
		dimensions = append(dimensions, one)
	}
	for key, all := range map[string][]string{"measures": f.Measures, "filters": f.Filters, "order_by": some([]string{f.Order})} {
		if len(all) > 0 {
			body[key] = all
		}
	}
	if dimensions != nil {
		body["dimensions"] = dimensions
	}
	span := map[string]string{}
	for key, value := range map[string]string{"relative": f.Range, "from": f.From, "to": f.To} {
		if value != "" {
			span[key] = value
		}
	}
	if len(span) > 0 {
		body["date_ranges"] = []any{span}
	}
	if len(f.Measures) == 0 {
		delete(body, "measures")
	}
	return json.Marshal(body)
}

// longCommand is the longest statement that a command line shows.
const longCommand = 300

// command returns the loam command that gives the same.
func (f *Form) command() string {
	if f.Tab == tabMeasures {
		words := []string{"loam sl query -c", text.ShellWord(f.Connection)}
		add := func(flag string, all ...string) {
			for _, s := range some(all) {
				words = append(words, flag, text.ShellWord(s))
			}
		}
		add("-m", f.Measures...)
		for _, d := range f.Dimensions {
			add("-b", strings.TrimSuffix(d.Field+"."+d.Grain, "."))
		}
		add("-w", f.Filters...)
		add("--date-range", f.Range)
		if f.From+f.To != "" {
			add("--date-range", f.From+".."+f.To)
		}
		add("--order", f.Order)
		add("--limit", f.Rows)
		return strings.Join(words, " ")
	}
	statement := "--file statement.sql"
	if s := strings.TrimSpace(f.SQL); s == "" {
		statement = `"select 1"`
	} else if len(s) <= longCommand {
		statement = text.ShellWord(s)
	}
	return "loam sql -c " + text.ShellWord(cmp.Or(f.Connection, "CONNECTION")) + " --max-rows " + text.ShellWord(f.Rows) + " " + statement
}

// MeasureFields returns the fields for measures: those that are filled in, and some more.
func (f *Form) MeasureFields() []string { return padded(f.Measures, 2) }

// FilterFields is MeasureFields for filters.
func (f *Form) FilterFields() []string { return padded(f.Filters, 2) }

// DimensionFields is MeasureFields for dimensions.
func (f *Form) DimensionFields() []Dimension { return padded(f.Dimensions, 2) }

// padded returns a list with an empty element behind it, and at least so many.
func padded[T any](all []T, least int) []T {
	out := make([]T, min(max(least, len(all)+1), maxFields))
	copy(out, all)
	return out
}

// Grains are the periods that a time can be grouped by.
func (*Form) Grains() (all []string) {
	for _, g := range dialect.Grains() {
		all = append(all, string(g))
	}
	return all
}
