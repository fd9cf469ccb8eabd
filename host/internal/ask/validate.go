package ask

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Validation is what guard and engine say about a statement that was not run.
type Validation struct {
	Valid bool `json:"valid"`
	// ReadOnly: the guard found one statement that only reads.
	ReadOnly bool `json:"readOnly"`
	// Statement is the kind of the statement, "SELECT"; nil = not known.
	Statement *string  `json:"statement"`
	Columns   []Column `json:"columns"`
	// Tables that the statement reads, as far as they are certain.
	Tables    []string          `json:"tables"`
	Findings  []finding.Finding `json:"findings"`
	CheckedBy Checker           `json:"checkedBy"`
	// Error is why the statement is not valid.
	Error *Fault   `json:"error,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// Checker is who checked a statement last.
type Checker string

const (
	ByEngine Checker = "engine"
	ByGuard  Checker = "guard"
)

// Column is a column of a result. Several may have one name.
type Column struct {
	Name string `json:"name"`
	// Type is the engine's own name of the type, else ours; nil = it is not known, or depends on the values.
	Type *string `json:"type"`
}

// Fault is why a statement is not valid.
type Fault struct {
	Code       sdk.Kind          `json:"code"`
	Message    string            `json:"message"`
	Hint       string            `json:"hint,omitempty"`
	NativeCode string            `json:"nativeCode,omitempty"`
	Position   *refusal.Position `json:"position,omitempty"`
	Candidates []string          `json:"candidates,omitempty"`
}

// Err returns the fault as the error of a statement that was run; nil = there is none.
func (f *Fault) Err() error {
	if f == nil {
		return nil
	}
	e := &sdk.Error{Kind: f.Code, Source: sdk.SourceCaller, Msg: f.Message, Hint: f.Hint, Code: f.NativeCode, Candidates: f.Candidates}
	if f.Position != nil {
		e.Pos = sdk.Position{Line: f.Position.Line, Column: f.Position.Column}
	}
	return e
}

// Validate checks a statement with the guard and the engine and runs nothing. A statement that is not valid is an
// answer, not an error.
// Errors: those of query.Service.Examine; KindInvalid for parameters that cannot be bound.
func (s *Service) Validate(ctx context.Context, in Statement) (*Validation, error) {
	params, err := bound(in.Parameters)
	if err != nil {
		return nil, err
	}
	found, err := s.Query.Examine(ctx, query.Request{Connection: in.Connection, SQL: in.SQL, Params: params})
	if err != nil {
		return nil, err
	}
	if found.Fault == nil {
		found.Fault = checkCount(&in, found.Dialect)
	}
	v := &Validation{
		Valid: found.Fault == nil, ReadOnly: found.ReadOnly, Statement: statementOf(&found, in.SQL), Columns: []Column{}, Tables: []string{},
		Findings: []finding.Finding{}, CheckedBy: ByGuard,
	}
	if found.Engine {
		v.CheckedBy = ByEngine
	}
	if found.Fault != nil {
		v.Error = faultOf(s.Offer(ctx, in.Connection, in.SQL, found.Fault))
		return v, nil
	}
	for _, c := range found.Columns {
		v.Columns = append(v.Columns, columnOf(c))
	}
	if v.Tables = s.tablesOf(ctx, &in, found.Tables); v.Tables == nil {
		v.Tables = []string{}
	}
	v.Findings = s.findings(ctx, &in, found.Dialect)
	v.Notes = notesOf(&found)
	return v, nil
}

// findings returns the findings of a statement; never nil.
func (s *Service) findings(ctx context.Context, in *Statement, d *dialect.Dialect) []finding.Finding {
	return append([]finding.Finding{}, s.Findings(ctx, in.Connection, in.SQL, d)...)
}

// tablesOf returns the engine's list of the tables, else those that the text names.
func (s *Service) tablesOf(ctx context.Context, in *Statement, reported []sdk.TableRef) (names []string) {
	if len(reported) == 0 {
		return s.Tables(ctx, in.Connection, in.SQL)
	}
	for _, ref := range reported {
		names = append(names, catalog.Display(ref))
	}
	return names
}

func columnOf(c sdk.Column) Column {
	column := Column{Name: c.Name}
	switch {
	case c.NativeType != "":
		column.Type = &c.NativeType
	case c.Type != sdk.TypeUnspecified && c.Type != sdk.TypeText: // a type that is not known comes as text over the wire
		name := c.Type.String()
		column.Type = &name
	}
	return column
}

// statementOf returns the engine's word for the statement, else its first word.
func statementOf(found *query.Examination, sql string) *string {
	word := found.StatementType
	if word == "" && found.Dialect != nil {
		tokens, _ := found.Dialect.Tokens(sql, nil) // those before a fault
		for _, t := range tokens {
			if t.Kind == dialect.TokenWord {
				word = strings.ToUpper(t.Text(sql))
				break
			}
		}
	}
	if word == "" {
		return nil
	}
	return &word
}

func notesOf(found *query.Examination) (notes []string) {
	if !found.Engine {
		notes = append(notes, "The connector cannot validate: the guard alone read the text, so names and types are not checked.")
	}
	for _, w := range found.Warnings {
		notes = append(notes, "The engine remarks: "+w.Message)
	}
	switch found.Estimate {
	case sdk.EstimateExact:
		notes = append(notes, fmt.Sprintf("It would read %s.", humanize.IBytes(uint64(found.EstimatedBytes))))
	case sdk.EstimateUpper:
		notes = append(notes, fmt.Sprintf("It would read at most %s.", humanize.IBytes(uint64(found.EstimatedBytes))))
	case sdk.EstimateGuess:
		notes = append(notes, fmt.Sprintf("It would read about %s.", humanize.IBytes(uint64(found.EstimatedBytes))))
	}
	return notes
}

func faultOf(err error) *Fault {
	e := sdk.AsError(err, sdk.SourceHost)
	bare := *e
	bare.Code, bare.Pos = "", sdk.Position{} // they have members of their own
	f := &Fault{Code: e.Kind, Message: bare.Error(), Hint: e.Hint, NativeCode: e.Code, Candidates: e.Candidates}
	if !e.Pos.IsZero() {
		f.Position = &refusal.Position{Line: e.Pos.Line, Column: e.Pos.Column}
	}
	return f
}
