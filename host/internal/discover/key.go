package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// Join is a foreign key between two tables. In JSON it is one string, see String.
// Shape: Columns[i] refers to ToColumns[i]; ToColumns is empty where the engine does not
// report the referenced columns.
type Join struct {
	From, To           sdk.TableRef
	Columns, ToColumns []string
	// Cardinality is "n:1", "1:1" or "n:m": rows of From to rows of To.
	Cardinality string
	Origin      relationship.Origin
	Score       float64
	// Rivals are other foreign keys of the same columns that fit the data as well. Reason says
	// why an undecided join needs a person.
	Rivals []relationship.Link
	Reason string

	incoming  bool // it is shown at the table To
	undecided bool
}

// MarshalText implements encoding.TextMarshaler. It returns the line of String.
func (j Join) MarshalText() ([]byte, error) { return []byte(j.String()), nil }

// String returns one line, seen from the table that shows it: "customer_id ->
// shop.customers.id; n:1; declared", or "id <- shop.orders.customer_id; 1:n; declared".
func (j Join) String() string {
	parts := []string{side(j.Columns) + " -> " + end(j.To, j.ToColumns), j.Cardinality, j.origin()}
	if j.incoming {
		parts[0], parts[1] = side(j.ToColumns)+" <- "+end(j.From, j.Columns), reversed(j.Cardinality)
	}
	return strings.Join(parts, "; ")
}

// step returns the join as part of a path, with the names of both tables.
func (j Join) step() string {
	if j.incoming {
		return end(j.To, j.ToColumns) + " <- " + end(j.From, j.Columns) + " " + reversed(j.Cardinality) + " " + j.origin()
	}
	return end(j.From, j.Columns) + " -> " + end(j.To, j.ToColumns) + " " + j.Cardinality + " " + j.origin()
}

func (j Join) origin() string {
	switch {
	case j.undecided && len(j.Rivals) > 0:
		var rivals []string
		for _, r := range j.Rivals {
			rivals = append(rivals, end(r.To, r.ToColumns))
		}
		return fmt.Sprintf("undecided %.2f: %s fits too, a person has to choose", j.Score, strings.Join(rivals, ", "))
	case j.undecided:
		return fmt.Sprintf("undecided %.2f: %s", j.Score, cmp.Or(j.Reason, "check it before you use it"))
	case j.Origin == relationship.Inferred:
		return fmt.Sprintf("inferred %.2f", j.Score)
	case j.Origin == relationship.Person:
		return "accepted by a person"
	default:
		return string(j.Origin)
	}
}

func side(columns []string) string {
	if len(columns) == 1 {
		return columns[0]
	}
	return "(" + strings.Join(columns, ", ") + ")"
}

func end(t sdk.TableRef, columns []string) string {
	switch len(columns) {
	case 0:
		return catalog.Display(t)
	case 1:
		return catalog.Display(t) + "." + columns[0]
	default:
		return catalog.Display(t) + side(columns)
	}
}

func reversed(cardinality string) string {
	switch cardinality {
	case manyToOne:
		return oneToMany
	case oneToMany:
		return manyToOne
	default:
		return cardinality
	}
}

const (
	manyToOne  = string(foreignkey.ManyToOne)
	oneToMany  = string(foreignkey.OneToMany)
	oneToOne   = string(foreignkey.OneToOne)
	manyToMany = string(foreignkey.ManyToMany)
)

// maxIncoming bounds the listed foreign keys that refer to a table.
const maxIncoming = 12

// joins returns a table's foreign keys, its undecided ones, and those of other tables that
// refer to it. Of copies of a table only one is listed.
// Errors: those of reading the snapshot.
func (l *entityReader) joins(t *sdk.Table) (all []Join, err error) {
	own, undecided := l.keys.Of(t.TableRef, t.Keys)
	for i, r := range slices.Concat(own, undecided) {
		if r.Origin == relationship.Person { // the columns of a decision may have been dropped since
			if exists, err := l.keys.Exists(r.Link); err != nil {
				return nil, err
			} else if !exists {
				continue
			}
		}
		j, err := l.join(r)
		if err != nil {
			return nil, err
		}
		j.undecided = i >= len(own)
		all = append(all, j)
	}
	incoming, left := l.graph.To[t.TableRef], 0
	for i, r := range incoming {
		if r.From == t.TableRef {
			continue
		}
		if i >= maxIncoming {
			left++
			continue
		}
		j, err := l.join(r)
		if err != nil {
			return nil, err
		}
		j.incoming = true
		all = append(all, j)
	}
	if left > 0 {
		l.answer.Notes = append(l.answer.Notes, fmt.Sprintf("%d more tables refer to %s: name one with it in between.", left, catalog.Display(t.TableRef)))
	}
	return all, nil
}

// join returns a foreign key with its cardinality. Errors: those of reading the snapshot.
func (l *entityReader) join(r relationship.Relationship) (Join, error) {
	cardinality, err := l.keys.Cardinality(r)
	return Join{
		From: r.From, To: r.To, Columns: r.Columns, ToColumns: r.ToColumns, Cardinality: string(cardinality), Origin: r.Origin,
		Score: r.Score, Rivals: r.Evidence.Rivals, Reason: r.Evidence.Reason,
	}, err
}
