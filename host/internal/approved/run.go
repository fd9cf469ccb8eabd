package approved

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// MaxRows is the largest number of rows that an agent may ask for.
const MaxRows = 10_000

// Run is one run of a saved query.
type Run struct {
	Name string
	// Connection "" = that of the only query with this name.
	Connection connection.ID
	// Parameters are decoded JSON with json.Number for numbers; nil = not given.
	Parameters map[string]any
	// MaxRows, MaxBytes and Progress are those of query.Request.
	MaxRows, MaxBytes int
	Progress          func(fraction float64, message string)
	// Unreviewed: also a query that is not reviewed runs, for a person who tries it.
	Unreviewed bool
}

// Identity is the query that ran.
type Identity struct {
	Name string `json:"name"`
	// Version identifies the content of the file.
	Version string `json:"version"`
}

// Result is how a run ended.
type Result struct {
	query.Summary
	Query Identity
	// Bound has the value of each parameter that the statement used.
	Bound map[string]any
}

// Execute runs a saved query and writes its rows to sink. Every value is a bound parameter.
// Errors: KindNotFound for an unknown name, KindDenied for a query that is not reviewed, KindInvalid for values that do
// not fit and for a broken file, KindUnsupported for a connector that binds no parameters, and those of
// query.Service.Run.
func (s *Service) Execute(ctx context.Context, r Run, sink query.Sink) (*Result, error) {
	item, err := s.find(ctx, r.Name, r.Connection)
	if err != nil {
		return nil, err
	}
	telemetry.Uses(ctx, string(item.Connection))
	if !item.Query.Reviewed && !r.Unreviewed {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "no person has reviewed the query %s", item.Name).
			WithHint("ask a person to read %s and to set reviewed: true", file(item))
	}
	w, err := s.Warehouses.Get(ctx, item.Connection)
	if err != nil {
		return nil, err
	}
	known, err := w.Known(ctx)
	if err != nil {
		return nil, err
	}
	x := &execution{service: s, item: item, run: &r, sink: &columns{Sink: sink}}
	d := known.Dialect()
	for range 2 { // once more in the dialect of a server that was not known
		err = x.in(ctx, d)
		other, ok := errors.AsType[*query.OtherDialect](err)
		if !ok {
			break
		}
		d = other.Is
	}
	if err != nil {
		return nil, err
	}
	return x.result(ctx, d), nil
}

// execution is a run that is under way.
type execution struct {
	service  *Service
	item     *library.Item
	run      *Run
	sink     *columns
	template *savedquery.Template
	bound    *savedquery.Bound
	summary  query.Summary
}

// in binds the values in a dialect and runs the statement.
func (x *execution) in(ctx context.Context, d *dialect.Dialect) (err error) {
	if d == nil {
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "the connector of %s describes no SQL dialect", x.item.Connection).
			WithHint("install a version of the connector that passes the conformance suite")
	}
	if x.template, err = template(x.item, d); err != nil {
		return err
	}
	if x.bound, err = x.item.Query.Bind(x.template, d, x.run.Parameters); err != nil {
		return err
	}
	x.summary, err = x.service.Query.Run(ctx, query.Request{
		Connection: x.item.Connection, SQL: x.bound.SQL, Params: x.bound.Params, Dialect: d,
		MaxRows: x.run.MaxRows, MaxBytes: x.run.MaxBytes, Progress: x.run.Progress,
	}, x.sink)
	return x.named(err)
}

// named adds the query's name to an error of its statement. The position is dropped: it is one in a text that the caller
// does not see.
func (x *execution) named(err error) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if _, other := errors.AsType[*query.OtherDialect](err); !ok || other || e.Source == sdk.SourceHost {
		return err
	}
	named := *e
	named.Msg, named.Pos = fmt.Sprintf("the query %s failed: %s", x.item.Name, e.Msg), sdk.Position{}
	if e.Kind == sdk.KindSyntax || e.Kind == sdk.KindNotReadOnly || e.Kind == sdk.KindNotFound {
		named.Hint = fmt.Sprintf("ask a person to mend %s (loam queries check %s)", file(x.item), x.item.Name)
	}
	return &named
}

func (x *execution) result(ctx context.Context, d *dialect.Dialect) *Result {
	r := &Result{Summary: x.summary, Query: Identity{x.item.Name, x.item.Version}, Bound: x.bound.Values}
	if note := changed(x.item.Query.Output, x.sink.list); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if !r.Nothing {
		return r
	}
	if sql, err := x.item.Query.Literal(x.template, d, x.bound); err == nil { // findings never block
		for _, f := range x.service.Findings(ctx, x.item.Connection, sql, d) {
			r.Notes = append(r.Notes, strings.TrimSpace(f.Message+" "+f.Suggestion))
		}
	}
	return r
}

// columns is a query.Sink that keeps the columns.
type columns struct {
	query.Sink
	list []sdk.Column
}

func (c *columns) Columns(all []sdk.Column) error {
	c.list = slices.Clone(all)
	return c.Sink.Columns(all)
}

// changed returns the note output_changed if the columns are not the declared ones; "" = they are, or none are declared.
func changed(declared []savedquery.Column, got []sdk.Column) string {
	same := len(declared) == len(got)
	for i := 0; same && i < len(got); i++ {
		same = strings.EqualFold(declared[i].Name, got[i].Name) && fits(declared[i].Type, &got[i])
	}
	if same || len(declared) == 0 {
		return ""
	}
	return fmt.Sprintf("output_changed: the query declares the columns %s and returned %s.", described(declared, func(c savedquery.Column) (string, string) { return c.Name, c.Type }),
		described(got, func(c sdk.Column) (string, string) { return c.Name, c.Type.String() }))
}

// fits reports whether a declared type may be that of a column: numbers are not texts. Other types are not compared,
// which engines represent in different ways, and no column without a type of the engine, whose type is guessed from its
// values.
func fits(declared string, got *sdk.Column) bool {
	number := got.Type == sdk.TypeInt64 || got.Type == sdk.TypeDecimal || got.Type == sdk.TypeFloat64
	switch {
	case got.NativeType == "":
		return true
	case savedquery.Type(declared) == savedquery.Integer, savedquery.Type(declared) == savedquery.Decimal:
		return number
	case savedquery.Type(declared) == savedquery.String:
		return !number
	}
	return true
}

func described[C any](all []C, of func(C) (name, typ string)) string {
	texts := make([]string, len(all))
	for i, c := range all {
		name, typ := of(c)
		texts[i] = strings.TrimSpace(name + " " + typ)
	}
	if len(texts) == 0 {
		return "none"
	}
	return strings.Join(texts, ", ")
}
