package discover

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

const (
	// At most maxPaths paths are shown, each of at most maxSteps joins; a search follows at
	// most maxVisits joins.
	maxPaths  = 5
	maxSteps  = 4
	maxVisits = 20_000
)

// Path is a sequence of joins from one table to another. In JSON it is one string, see String.
type Path struct{ Steps []Join }

// MarshalText implements encoding.TextMarshaler. It returns the line of String.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// String returns the cardinality of the whole path, then its joins.
func (p Path) String() string {
	steps := make([]string, len(p.Steps))
	for i, j := range p.Steps {
		steps[i] = j.step()
	}
	return p.Cardinality() + ": " + strings.Join(steps, ", ")
}

// Cardinality returns "1:1", "n:1", "1:n" or "n:m": rows of the first table to rows of the last.
func (p Path) Cardinality() string {
	one, many := true, true // one row of the last for each of the first, and the other way round
	for _, j := range p.Steps {
		c := j.Cardinality
		if j.incoming {
			c = reversed(c)
		}
		one = one && (c == manyToOne || c == oneToOne)
		many = many && (c == oneToMany || c == oneToOne)
	}
	switch {
	case one && many:
		return oneToOne
	case one:
		return manyToOne
	case many:
		return oneToMany
	default:
		return manyToMany
	}
}

// between adds the paths from one table to another over accepted foreign keys to the answer,
// shortest first.
// Errors: those of reading the snapshot.
func (l *entityReader) between(a, b EntityQuery) error {
	from, ok, err := l.find(a)
	if err != nil || !ok {
		return err
	}
	to, ok, err := l.find(b)
	if err != nil || !ok {
		return err
	}
	w := walk{reader: l, target: l.snapshot.Entry(to).TableRef, seen: map[sdk.TableRef]bool{}}
	start := l.snapshot.Entry(from).TableRef
	for steps, most := 1, maxSteps; steps <= most && len(w.found) < maxPaths; steps++ {
		if err := w.follow(start, steps); err != nil {
			return err
		}
		if most == maxSteps && len(w.found) > 0 { // a path with one more join may have another meaning
			most = min(steps+1, maxSteps)
		}
	}
	l.answer.Paths = w.found
	switch {
	case w.visits > maxVisits:
		l.answer.Notes = append(l.answer.Notes, fmt.Sprintf("After %d joins the search was ended: there may be other ways.", maxVisits))
	case len(w.found) == maxPaths:
		l.answer.Notes = append(l.answer.Notes, fmt.Sprintf("These are the first %d ways, the shortest first: there may be others.", maxPaths))
	}
	if len(w.found) == 0 {
		l.answer.Notes = append(l.answer.Notes, fmt.Sprintf("No joins of up to %d steps lead from %s to %s. Undecided ones are not used: entity_details of each table lists them.",
			maxSteps, catalog.Display(start), catalog.Display(w.target)))
		return nil
	}
	for _, p := range w.found {
		if c := p.Cardinality(); c == oneToMany || c == manyToMany {
			l.answer.Notes = append(l.answer.Notes, fmt.Sprintf("A way that is 1:n or n:m repeats rows of %s: aggregate the other side first.", catalog.Display(start)))
			break
		}
	}
	return nil
}

// walk finds paths of a given number of steps that visit no table twice.
type walk struct {
	reader *entityReader
	target sdk.TableRef
	seen   map[sdk.TableRef]bool
	steps  []stride
	found  []Path
	visits int
}

// stride is a foreign key that the walk follows, backwards if it is incoming.
type stride struct {
	relationship.Relationship
	incoming bool
}

// follow tries each foreign key of a table; left is the number of steps left in the path.
// Errors: those of reading the snapshot.
func (w *walk) follow(at sdk.TableRef, left int) error {
	w.seen[at] = true
	defer delete(w.seen, at)
	for _, r := range w.reader.graph.From[at] {
		if err := w.step(stride{r, false}, r.To, left); err != nil {
			return err
		}
	}
	for _, r := range w.reader.graph.To[at] {
		if err := w.step(stride{r, true}, r.From, left); err != nil {
			return err
		}
	}
	return nil
}

// step follows one foreign key: it records a path at the target, else it walks on.
func (w *walk) step(s stride, to sdk.TableRef, left int) error {
	arrived := to == w.target
	if w.visits++; w.visits > maxVisits || len(w.found) == maxPaths || w.seen[to] || arrived != (left == 1) {
		return nil
	}
	w.steps = append(w.steps, s)
	defer func() { w.steps = w.steps[:len(w.steps)-1] }()
	if !arrived {
		return w.follow(to, left-1)
	}
	p := Path{Steps: make([]Join, len(w.steps))}
	for i, s := range w.steps {
		var err error
		if p.Steps[i], err = w.reader.join(s.Relationship); err != nil {
			return err
		}
		p.Steps[i].incoming = s.incoming
	}
	w.found = append(w.found, p)
	return nil
}
