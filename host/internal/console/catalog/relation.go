package catalog

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/sdk"
)

// pageRelations is how many foreign keys of a table are listed in either direction, roomRelations how many bytes they have.
const pageRelations, roomRelations = 15, 6000

// end is one end of a foreign key.
type end struct {
	Table   name     `json:"table"`
	Columns []string `json:"columns"`
	Link    string   `json:"-"`
}

func newEnd(id connection.ID, ref sdk.TableRef, columns []string) end {
	display := catalog.Display(ref)
	return end{name(display), columns, tableLink(id, display)}
}

// Text returns the columns as a page shows them.
func (e end) Text() string { return cut(strings.Join(e.Columns, ", "), maxShown) }

func (e end) bytes() int { return size(e.Link, e.Table.Cut(), e.Table.Title(), e.Text()) }

// relation is a foreign key with its evidence.
type relation struct {
	// ID is that of commands; "" = it is declared, and there is nothing to decide.
	ID   string `json:"id,omitempty"`
	From end    `json:"from"`
	To   end    `json:"to"`
	// State is declared, or one of review.State.
	State       string    `json:"state"`
	Name        name      `json:"name,omitempty"` // of the constraint
	Cardinality string    `json:"cardinality,omitempty"`
	Score       float64   `json:"score"`
	Evidence    *evidence `json:"evidence,omitempty"`
	DecidedAt   time.Time `json:"decidedAt,omitzero"`
	DecidedBy   string    `json:"decidedBy,omitempty"`
	Note        string    `json:"note,omitempty"`
	Stale       bool      `json:"stale,omitempty"`
}

// Percent returns the score for people.
func (r relation) Percent() string { return percent(r.Score) }

// evidence is what speaks for a foreign key, as shares of 1; nil = not known.
type evidence struct {
	Name        *float64  `json:"name"`
	Key         *float64  `json:"key"`
	Containment *float64  `json:"containment"`
	Surprise    *float64  `json:"surprise"`
	Coverage    *float64  `json:"coverage"`
	Checked     int       `json:"checked"`
	Missing     int       `json:"missing"`
	None        string    `json:"none,omitempty"`
	Reason      string    `json:"reason,omitempty"`
	Like        string    `json:"like,omitempty"`
	ValidatedAt time.Time `json:"validatedAt,omitzero"`
}

// Share returns a share for people.
func (e *evidence) Share(of *float64) string {
	if of == nil {
		return "–"
	}
	return percent(*of)
}

func (e *evidence) bytes() int {
	if e == nil {
		return 0
	}
	return size(e.None, e.Reason, e.Like)
}

func percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 0, 64) + "\u00a0%"
}

func newEvidence(e relationship.Evidence) *evidence {
	if e.IsZero() {
		return nil
	}
	out := &evidence{
		Name: shareOf(e.Name), Key: shareOf(e.Key), Containment: shareOf(e.Containment), Surprise: shareOf(e.Surprise), Coverage: shareOf(e.Coverage),
		Checked: int(e.Checked), Missing: int(e.Missing), None: flat(e.None, maxValue), Reason: flat(e.Reason, maxTitle), ValidatedAt: e.ValidatedAt,
	}
	if e.Like != nil {
		out.Like = cut(catalog.Display(*e.Like), maxShown)
	}
	return out
}

func shareOf(share float64) *float64 {
	if share < 0 {
		return nil
	}
	return &share
}

// newRelation describes a link that is not declared.
func newRelation(id connection.ID, l *review.Link) relation {
	r := relation{
		ID: l.ID, From: newEnd(id, l.From, l.Columns), To: newEnd(id, l.To, l.ToColumns), State: string(l.State()), Score: l.Score,
		Evidence: newEvidence(l.Evidence), Name: name(l.Name),
	}
	if l.Decision != nil {
		r.DecidedAt, r.DecidedBy, r.Note = l.Decision.At, flat(l.Decision.By, maxShown), flat(l.Decision.Note, maxTitle)
	}
	return r
}

// declared describes a declared foreign key.
func declared(id connection.ID, r relationship.Relationship) relation {
	return relation{From: newEnd(id, r.From, r.Columns), To: newEnd(id, r.To, r.ToColumns), State: string(relationship.Declared), Name: name(r.Name), Score: 1}
}

// relations fills in the foreign keys of a table and those of others that refer to it. Refuted ones are left out.
// Errors: those of reading the snapshot and the decisions.
func (p *pages) relations(ctx context.Context, f *found, d *tablePage) error {
	keys, err := p.Keys.Of(f.ID, f.snapshot)
	if err != nil {
		return err
	}
	graph, err := keys.Graph(ctx)
	if err != nil {
		return err
	}
	overview, err := p.Review.Overview(ctx, f.scope)
	if err != nil {
		return err
	}
	accepted, _ := keys.Of(f.table.TableRef, f.table.Keys)
	cardinality := func(r relationship.Relationship) (string, error) {
		c, err := keys.Cardinality(r)
		return string(c), err
	}
	to := &relations{id: f.ID, cardinality: cardinality, room: roomRelations}
	from := &relations{id: f.ID, cardinality: cardinality, room: roomRelations}
	for _, r := range accepted {
		if r.Origin == relationship.Declared {
			to.add(declared(f.ID, r), r)
		}
	}
	for _, r := range graph.To[f.table.TableRef] {
		if r.Origin == relationship.Declared {
			from.add(declared(f.ID, r), r)
		}
	}
	own, others := overview.Of(f.table.TableRef)
	to.links(own)
	from.links(others)
	d.To, d.MoreTo, d.From, d.MoreFrom = to.all, to.more, from.all, from.more
	if to.err != nil {
		return to.err
	}
	return from.err
}

// relations collects foreign keys of a table.
type relations struct {
	id          connection.ID
	cardinality func(relationship.Relationship) (string, error)
	all         []relation
	more        int
	room        int // bytes
	err         error
}

func (r *relations) add(one relation, of relationship.Relationship) {
	if len(r.all) == pageRelations || r.room < 0 {
		r.more++
		return
	}
	var err error
	if one.Cardinality, err = r.cardinality(of); err != nil && r.err == nil {
		r.err = err
	}
	r.all = append(r.all, one)
	r.room -= one.From.bytes() + one.To.bytes() + one.Evidence.bytes() + size(one.Note, one.Name.Cut())
}

func (r *relations) links(links []review.Link) {
	order := review.States()
	slices.SortStableFunc(links, func(a, b review.Link) int { return slices.Index(order, a.State()) - slices.Index(order, b.State()) })
	for i := range links {
		if links[i].State() != review.Refuted {
			r.add(newRelation(r.id, &links[i]), links[i].Relationship)
		}
	}
}
