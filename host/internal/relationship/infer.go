// Package relationship infers foreign keys that a warehouse does not declare.
//
// It infers a key for each table; foreign keys may refer to other unique columns too. A
// column becomes a candidate when its name, type and range fit a key, or when only few keys
// contain its values. The score of a candidate is .55 name + .20 key (how likely the target
// is a key) + .25 containment, weighted by surprise: containment of the numbers 1 to 9 in 1
// to 100 is weak evidence, of forty codes in fifty it is strong. The best candidates are
// validated, one anti-join each, within a budget. A person's decision overrides all
// evidence.
package relationship

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Table is a table with the statistics of its columns, where there are any.
type Table struct {
	*sdk.Table
	Stats []sdk.ColumnStats
	// Derived: the table shows rows of other tables, as a view does. Nothing is inferred
	// about it.
	Derived bool
}

// Link is a reference from columns of one table to columns of another.
// Shape: Columns pairs with ToColumns.
type Link struct {
	From      sdk.TableRef `json:"from"`
	Columns   []string     `json:"columns"`
	To        sdk.TableRef `json:"to"`
	ToColumns []string     `json:"toColumns"`
}

// String returns "schema.orders(customer_id) → schema.customers(id)".
func (l Link) String() string {
	return l.From.String() + "(" + strings.Join(l.Columns, ", ") + ") → " + l.To.String() + "(" + strings.Join(l.ToColumns, ", ") + ")"
}

// end returns "schema.customers(id)".
func (l Link) end() string { return l.To.String() + "(" + strings.Join(l.ToColumns, ", ") + ")" }

// key returns a text that is unique to the link.
func (l Link) key() string {
	return child(l.From, l.Columns...) + "\x00\x00" + child(l.To, l.ToColumns...)
}

// Equal reports whether two links are the same.
func (l Link) Equal(o Link) bool {
	return l.From == o.From && l.To == o.To && slices.Equal(l.Columns, o.Columns) && slices.Equal(l.ToColumns, o.ToColumns)
}

// Origin is the source of a relationship: the warehouse, inference or a person.
type Origin string

const (
	Declared Origin = "declared" // the warehouse
	Inferred Origin = "inferred" // this package
	Person   Origin = "person"
)

// Status is whether a relationship is used.
type Status string

const (
	Accepted Status = "accepted"
	Review   Status = "review" // a person should look at it
	Rejected Status = "rejected"
)

// Relationship is a link with its evidence.
type Relationship struct {
	Link
	Origin Origin `json:"origin"`
	Status Status `json:"status"`
	// Name is the name of the constraint of a declared link.
	Name string `json:"name,omitempty"`
	// Score is from 0 to 1; 1 for declared and decided links.
	Score    float64  `json:"score"`
	Evidence Evidence `json:"evidence,omitzero"`
}

// Declare returns the relationship of a declared foreign key; to is the table that it
// refers to.
func Declare(from sdk.TableRef, key sdk.Key, to sdk.TableRef) Relationship {
	link := Link{From: from, Columns: key.Columns, To: to, ToColumns: key.RefColumns}
	return Relationship{Link: link, Origin: Declared, Status: Accepted, Name: key.Name, Score: 1}
}

// Evidence is the measurements behind an inferred relationship. All parts are from 0 to
// 1; -1 = not known.
type Evidence struct {
	Name        float64 `json:"name"`
	Key         float64 `json:"key"`
	Containment float64 `json:"containment"`
	Surprise    float64 `json:"surprise"`
	// Coverage is the share of the parent's keys that occur in the child.
	Coverage float64 `json:"coverage"`
	// Checked values at ValidatedAt, of which Missing are not in the parent.
	Checked     int64     `json:"checked"`
	Missing     int64     `json:"missing"`
	ValidatedAt time.Time `json:"validatedAt,omitzero"`
	// None is the value that means "no reference", such as 0: Containment ignores it,
	// Missing counts it.
	None string `json:"none,omitempty"`
	// Reason is why the link is not accepted.
	Reason string `json:"reason,omitempty"`
	// Like is a copy of the table whose link was validated in place of this one.
	Like *sdk.TableRef `json:"like,omitempty"`
	// Rivals are other valid links of the same columns; none is clearly better.
	Rivals []Link `json:"rivals,omitempty"`
}

// IsZero reports that there is no evidence for or against a link.
func (e Evidence) IsZero() bool {
	return e.Name == 0 && e.Key == 0 && e.Reason == "" && e.ValidatedAt.IsZero()
}

// Check is the result of a validation.
type Check struct {
	// Checked counts distinct combinations without NULL, and Missing those that the parent
	// lacks.
	Checked, Missing int64
	// Duplicates of the parent's columns; counted when Candidate.Unique is false.
	Duplicates int64
}

// Candidate is a link that is to be validated.
type Candidate struct {
	Link
	// Unique: the parent's columns are known to be unique.
	Unique bool
}

// ErrEnough is the error of Validate when its budget is used up.
var ErrEnough = errors.New("no more validations")

// Validate counts, with one query, how many values of a candidate are in its parent.
// Errors: ErrEnough; any other error is that of a query.
type Validate func(context.Context, Candidate) (Check, error)

// Request is the input of Infer.
type Request struct {
	Tables iter.Seq2[Table, error]
	// HideKeys ignores declared keys.
	HideKeys  bool
	Decisions Decisions
	// Validate may be nil: then nothing is accepted.
	Validate Validate
	// Earlier is the result of an earlier inference. Its verdicts about unchanged tables
	// are reused; its other links are validated again after all new ones, within the budget
	// of Validate.
	Earlier *Result
	Same    func(sdk.TableRef) bool
	// Now is the time of the validations.
	Now func() time.Time
}

// Result is the result of Infer.
// Shape: declared ones first, then decided ones, then by score.
type Result struct {
	Relationships []Relationship
	// Refuted are the candidates that a validation refuted.
	Refuted []Relationship
	// Tables, Candidates and Validations (queries that were run) are counts.
	Tables, Candidates, Validations int
	// Unchecked counts the candidates that were left out after ErrEnough; they are not in
	// Relationships.
	Unchecked int
	// Failed counts the validations that ended with an error.
	Failed int
	// Basis is the hash of the input beside the tables, where the same input gives the same
	// result; "" = another inference may find more.
	Basis string
	// Stale are the decisions about missing tables or columns.
	Stale []Decision
}

// Infer finds the relationships of a warehouse's tables. It keeps the statistics of all
// columns that may be keys or refer to one in memory.
// Errors: those of Tables and of ctx. An error of Validate becomes a Reason.
func Infer(ctx context.Context, r Request) (*Result, error) {
	w := newWarehouse()
	for t, err := range r.Tables {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.add(t, r.HideKeys)
	}
	w.finish()
	f := &finding{request: r, warehouse: w, result: &Result{Tables: len(w.tables)}, taken: map[string]bool{}}
	f.remember()
	if f.request.Now == nil {
		f.request.Now = time.Now
	}
	f.declared()
	f.decided()
	candidates := w.candidates(f.open)
	for _, all := range candidates {
		f.result.Candidates += len(all)
	}
	if err := f.validate(ctx, candidates); err != nil {
		return nil, err
	}
	if err := f.composites(ctx); err != nil {
		return nil, err
	}
	if err := f.namesakes(ctx); err != nil {
		return nil, err
	}
	f.strangers()
	f.copies()
	slices.SortStableFunc(f.result.Relationships, inOrder)
	return f.result, nil
}

// finding is an inference under way.
type finding struct {
	request   Request
	warehouse *warehouse
	result    *Result
	enough    bool            // Validate answers no more
	taken     map[string]bool // child columns that refer to something already
	earlier   map[string]verdict
}

// verdict is what an earlier inference validated; fresh: it still holds.
type verdict struct {
	Relationship
	fresh bool
}

// remember takes up what was validated earlier.
func (f *finding) remember() {
	if f.request.Earlier == nil || f.request.Same == nil {
		return
	}
	f.earlier = map[string]verdict{}
	for _, r := range slices.Concat(f.request.Earlier.Relationships, f.request.Earlier.Refuted) {
		if r.Origin == Inferred && !r.Evidence.ValidatedAt.IsZero() && r.Evidence.Like == nil {
			if len(r.Evidence.Rivals) > 0 { // it holds; whether it is preferred is decided anew
				r.Status, r.Evidence.Reason, r.Evidence.Rivals = Accepted, "", nil
			}
			if r.Evidence.Reason == apart { // others may join the schemas now
				r.Status, r.Evidence.Reason = Accepted, ""
			}
			f.earlier[r.key()] = verdict{r, f.request.Same(r.From) && f.request.Same(r.To)}
		}
	}
}

func (f *finding) add(r Relationship) { f.result.Relationships = append(f.result.Relationships, r) }

func child(ref sdk.TableRef, columns ...string) string {
	return ref.Catalog + "\x00" + ref.Schema + "\x00" + ref.Name + "\x00" + strings.Join(columns, "\x00")
}

// open reports whether a column may still be a child.
func (f *finding) open(ref sdk.TableRef, column string) bool { return !f.taken[child(ref, column)] }

func (f *finding) declared() {
	for _, t := range f.warehouse.tables {
		for _, k := range t.foreign {
			f.add(Declare(t.ref, k, f.warehouse.resolve(t.ref, k.Ref)))
			f.taken[child(t.ref, k.Columns...)] = true
		}
	}
}

// decided adds what a person decided. An accepted link takes its column: the
// person knows what it refers to.
func (f *finding) decided() {
	for _, d := range f.request.Decisions {
		if !f.warehouse.has(d.From, d.Columns) || !f.warehouse.has(d.To, d.ToColumns) {
			f.result.Stale = append(f.result.Stale, d)
			continue
		}
		if slices.ContainsFunc(f.result.Relationships, func(r Relationship) bool { return r.Equal(d.Link) }) {
			continue // declared by now
		}
		f.add(Relationship{Link: d.Link, Origin: Person, Status: d.Status, Score: 1})
		if d.Status == Accepted {
			f.taken[child(d.From, d.Columns...)] = true
		}
	}
}
