package oracle

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Refusal is why a request has no answer.
type Refusal struct {
	Code refusal.Code
	Why  string
}

func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Why }

func refuse(code refusal.Code, format string, args ...any) error {
	return &Refusal{Code: code, Why: fmt.Sprintf(format, args...)}
}

// Unspecified is the code of what the meaning of a query leaves open: an answer
// and a refusal are both right.
const Unspecified refusal.Code = "unspecified"

// place is a field as a home sees it: down joins to finer rows, then up.
type place struct {
	steps  []model.Step
	source model.SourceID // of the field
	field  model.Field
	// entity is set when the value is that of a measure per entity instead.
	entity *entity
	// quantified is set when the value is whether related rows satisfy a condition.
	quantified *quantified
}

// downs counts the steps up to the last one that goes down.
func (p place) downs() int {
	for i := len(p.steps); i > 0; i-- {
		if p.steps[i-1].Down {
			return i
		}
	}
	return 0
}

// branch names the finer rows that the place belongs to; "" is the home's row.
func (p place) branch() string { return branchOf(p.steps[:p.downs()]) }

func branchOf(steps []model.Step) string {
	s := ""
	for _, step := range steps {
		s += fmt.Sprintf("%p %v/", step.Edge, step.Down)
	}
	return s
}

func (p place) equal(o place) bool {
	return p.field == o.field && slices.EqualFunc(p.steps, o.steps, func(a, b model.Step) bool { return a == b })
}

// scoped is an expression over the places that a home leads to.
type scoped struct {
	tree   expression.Node
	places map[string]place // by the text of the name
}

// find looks a written reference up, as a home sees it.
func (w *world) find(home model.SourceID, parts, via []string) (place, error) {
	if parts[0] == entityMark {
		return w.findEntity(home, parts[1])
	}
	if parts[0] == quantifiedMark {
		return w.findQuantified(home, parts[1])
	}
	if w.onAxis(parts) && len(via) == 0 {
		return w.ownTime(home)
	}
	if names := w.conform[strings.ToLower(parts[0])]; len(parts) == 1 && len(via) == 0 && names != nil {
		return w.findConformed(home, parts[0], names)
	}
	members, err := w.model.Lookup(home, parts...)
	if err != nil {
		return place{}, lookupRefusal(err)
	}
	at := slices.IndexFunc(members, func(m model.Member) bool { return m.Dimension != 0 })
	if at < 0 {
		return place{}, refuse(refusal.CodeInvalidRequest, "%v is no dimension", parts)
	}
	ref := members[at].Ref
	if len(via) == 1 && strings.EqualFold(via[0], w.model.Source(home).Name) {
		return place{}, refuse(Unspecified, "a way that ends where it begins")
	}
	if len(via) > 0 {
		ref.Via = spelledWay(via, ref.Via)
	}
	return w.reach(home, ref)
}

// findConformed is the one of some dimensions that mean the same of which a home has one
// value in a row, else the one that it has several of.
func (w *world) findConformed(home model.SourceID, name string, members []string) (place, error) {
	var ones, several []place
	var why error
	for _, text := range members {
		names, err := parts(text)
		if err != nil {
			return place{}, err
		}
		p, err := w.find(home, names, nil)
		var refused *Refusal
		switch {
		case errors.As(err, &refused) && refused.Code == refusal.CodeAmbiguousPath:
			return place{}, err
		case err != nil:
			why = err
		case p.downs() == 0:
			ones = append(ones, p)
		default:
			several = append(several, p)
		}
	}
	switch {
	case len(ones) > 1 || len(ones) == 0 && len(several) > 1:
		return place{}, refuse(refusal.CodeAmbiguousMember, "%s is several dimensions of one row", name)
	case len(ones) == 1:
		return ones[0], nil
	case len(several) == 1:
		return several[0], nil
	}
	return place{}, why
}

// spelledWay is the way that a request spells out: the names of via, and then those that
// the field has before it. Where via ends with the name that stands before the field,
// it is one and the same step.
func spelledWay(via, before []string) []string {
	way := slices.Clone(via)
	for i, name := range before {
		if i > 0 || len(via) == 0 || !strings.EqualFold(via[len(via)-1], name) {
			way = append(way, name)
		}
	}
	return way
}

// findEntity is the value of a measure for the entity of a home's rows.
func (w *world) findEntity(home model.SourceID, number string) (place, error) {
	at, err := strconv.Atoi(number)
	if err != nil {
		return place{}, err
	}
	e := w.entities[at]
	if err := e.bind(w, home); err != nil {
		return place{}, from(err, refusal.CodeFilter)
	}
	bound := *e // as this home sees it
	return place{entity: &bound}, nil
}

// reach follows a reference from a home.
func (w *world) reach(home model.SourceID, ref model.Ref) (place, error) {
	p, err := w.model.Path(home, ref)
	if err != nil {
		return place{}, lookupRefusal(err)
	}
	return place{steps: p.Steps, source: ref.Source, field: ref.Field}, nil
}

// lookupRefusal is what the model says about names and paths.
func lookupRefusal(err error) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return err
	}
	code := refusal.Code(e.Code)
	if e.Code == model.CodeUnreachable {
		code = refusal.CodeNoJoinPath
	}
	return &Refusal{code, e.Msg}
}

// bind resolves the names of an expression that came with the request.
func (w *world) bind(home model.SourceID, tree expression.Node) (*scoped, error) {
	places := map[string]place{}
	for _, n := range expression.Names(tree) {
		p, err := w.find(home, n.Parts, nil)
		if err != nil {
			return nil, err
		}
		places[n.String()] = p
	}
	if err := w.unknownTimes(tree, places); err != nil {
		return nil, err
	}
	return w.scope(tree, places)
}

// unknownTimes refuses to compare a time that may be stored as anything with a text that
// says a time.
func (w *world) unknownTimes(tree expression.Node, places map[string]place) (err error) {
	expression.Walk(tree, func(n expression.Node) bool {
		operands := expression.Children(n)
		switch n.(type) {
		case *expression.Binary, *expression.Between, *expression.In:
		default:
			return true
		}
		time := slices.ContainsFunc(operands, func(o expression.Node) bool {
			name, ok := o.(*expression.Name)
			return ok && w.unknownTime(places[name.String()])
		})
		text := slices.ContainsFunc(operands, func(o expression.Node) bool {
			l, ok := o.(*expression.Literal)
			return ok && saysTime().MatchString(l.Value)
		})
		if time && text {
			err = refuse(refusal.CodeInvalidRequest, "%s", expression.String(n))
		}
		return true
	})
	return err
}

// saysTime is a text that begins as a day does.
var saysTime = text.Pattern(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`)

func (w *world) unknownTime(p place) bool {
	if p.field.Dimension == 0 || p.entity != nil || p.quantified != nil {
		return false
	}
	return w.model.Dimension(p.field.Dimension).Type == model.Time && w.typeOf(p.source, p.field) == sdk.TypeUnspecified
}

// bindDefinition resolves the names of a definition that belongs to the source
// at the end of steps.
func (w *world) bindDefinition(steps []model.Step, at model.SourceID, e *model.Expr) (*scoped, error) {
	places := map[string]place{}
	for name, ref := range refsOf(e) {
		p, err := w.reach(at, ref)
		if err != nil {
			return nil, err
		}
		if len(steps) > 0 && p.downs() > 0 {
			return nil, refuse(Unspecified, "a definition of %s goes down a join", w.model.Source(at).Name)
		}
		places[name] = place{steps: append(slices.Clip(steps), p.steps...), source: p.source, field: p.field}
	}
	return w.scope(e.Tree, places)
}

func (w *world) scope(tree expression.Node, places map[string]place) (*scoped, error) {
	tree, err := expression.Check(tree, func(n *expression.Name) (sdk.Type, error) {
		p := places[n.String()]
		if p.quantified != nil {
			return sdk.TypeBool, nil
		}
		return w.typeOf(p.source, p.field), nil
	})
	if err != nil {
		return nil, refuse(refusal.CodeInvalidExpression, "%v", err)
	}
	return &scoped{tree, places}, nil
}

// choice is a row of the home with the finer rows that were chosen beside it, by
// branch.
type choice map[string]row

func (w *world) at(c choice, p place) any {
	if p.entity != nil {
		return p.entity.value(w, c[""])
	}
	if p.quantified != nil {
		return p.quantified.of(w, c[""])
	}
	n := p.downs()
	return w.value(w.climb(c[branchOf(p.steps[:n])], p.steps[n:]), p.field)
}

func (w *world) compute(c choice, s *scoped) any {
	return env{name: func(n *expression.Name) any { return w.at(c, s.places[n.String()]) }}.eval(s.tree)
}

// holds reports whether a condition is satisfied. One that needs finer rows is
// satisfied by rows alone that are there.
func (w *world) holds(c choice, s *scoped) bool {
	for _, p := range s.places {
		if c[p.branch()].at < 0 {
			return false
		}
	}
	return w.compute(c, s) == true
}

// choices are all combinations of a home's row with rows of the branches that
// places need. A branch without rows counts as one row that is not there.
func (w *world) choices(home row, places []place) []choice {
	branches := map[string][]model.Step{}
	for _, p := range places {
		for n := 1; n <= p.downs(); n++ {
			branches[branchOf(p.steps[:n])] = p.steps[:n]
		}
	}
	order := make([]string, 0, len(branches))
	for name := range branches {
		order = append(order, name)
	}
	slices.SortFunc(order, func(a, b string) int { return len(branches[a]) - len(branches[b]) })
	all := []choice{{"": home}}
	for _, name := range order {
		steps := branches[name]
		last := len(steps) - 1
		var longer []choice
		for _, c := range all {
			found := w.across(steps[last], c[branchOf(steps[:last])])
			if len(found) == 0 {
				found = []int{-1}
			}
			for _, at := range found {
				more := choice{name: {steps[last].Source(), at}}
				for k, v := range c {
					more[k] = v
				}
				longer = append(longer, more)
			}
		}
		all = longer
	}
	return all
}
