package oracle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// entity is the value of a measure for the entity that a row belongs to: how many
// orders the customer has.
type entity struct {
	of     func(scope) (*column, error) // the measure
	per    []dimension
	scope  scope
	column *column
	// places and source are those that per has as a home sees it.
	places []place
}

// entityMark is the first part of a name that stands for the value of a measure per
// entity.
const entityMark = "\x00entity"

// perEntity is the value of a measure per entity; filter is on the rows of the measure.
func (q *question) perEntity(of func(scope) (*column, error), per []string, filter string) (*entity, error) {
	e := &entity{of: of, scope: scope{fanout: q.Fanout, zone: q.scope.zone}}
	for _, field := range per {
		names, err := parts(field)
		if err != nil {
			return nil, err
		}
		d := dimension{label: field}
		if last := len(names) - 1; last > 1 && slices.Contains(dialect.Grains(), dialect.Grain(names[last])) {
			d.grain, names = dialect.Grain(names[last]), names[:last]
		}
		d.find = func(home model.SourceID) (place, error) { return q.world.find(home, names, nil) }
		e.per = append(e.per, d)
	}
	var err error
	if filter != "" {
		e.scope.rows, err = q.conditions([]request.Filter{{SQL: filter}})
	}
	return e, err
}

// entity is perEntity of a measure of the model.
func (q *question) entity(measure string, per []string, filter string) (*entity, error) {
	id, err := q.measureID(measure)
	if err != nil {
		return nil, err
	}
	return q.perEntity(func(s scope) (*column, error) { return q.world.measure(id, s) }, per, filter)
}

// named returns a new name for the value of a measure per entity.
func (q *question) entityName(e *entity) *expression.Name {
	q.world.entities = append(q.world.entities, e)
	return &expression.Name{Parts: []string{entityMark, strconv.Itoa(len(q.world.entities) - 1)}}
}

// withEntities puts names in the place of per(measure, key, …).
func (q *question) withEntities(tree expression.Node) (expression.Node, error) {
	return expression.Transform(tree, func(n expression.Node) (expression.Node, error) {
		p, ok := n.(*expression.PerEntity)
		if !ok {
			return n, nil
		}
		var per []string
		for _, key := range p.Keys {
			per = append(per, key.String())
		}
		of := request.Measure{Expr: expression.String(p.X)}
		e, err := q.perEntity(func(s scope) (*column, error) { return q.adhoc(of, s) }, per, "")
		if err != nil {
			return nil, err
		}
		return q.entityName(e), nil
	})
}

// computed reads a dimension that is no field: an expression, or a measure per entity,
// cut to a period where one is asked for.
func (q *question) computed(d request.Dimension) (dimension, error) {
	dim := dimension{label: d.Name, find: func(model.SourceID) (place, error) {
		return place{}, refuse(Unspecified, "%s%s, which is computed, as a field", d.Expr, d.Measure)
	}}
	if d.Expr != "" {
		tree, err := expression.ParseValue(d.Expr)
		if err != nil {
			return dim, refuse(refusal.CodeInvalidExpression, "%v", err)
		}
		if expression.ClassOf(tree) != expression.Scalar {
			return dim, refuse(refusal.CodeInvalidRequest, "%s is no value of a row", d.Expr)
		}
		dim.tree, err = q.withEntities(tree)
		return dim, err
	}
	e, err := q.entity(d.Measure, d.Per, d.Filter)
	if err != nil {
		return dim, err
	}
	dim.tree = q.entityName(e)
	if dim.cut = d.Grain; d.Grain != "" {
		dim.moment, err = q.momentOf(d)
	}
	return dim, err
}

// momentOf is the field whose first or last moment a measure is.
func (q *question) momentOf(d request.Dimension) (place, error) {
	id, err := q.measureID(d.Measure)
	if err != nil {
		return place{}, err
	}
	m := q.world.model.Measure(id)
	if m.Kind == model.Simple && (m.Agg == expression.Min || m.Agg == expression.Max) {
		if name, ok := m.Expr.Tree.(*expression.Name); ok {
			p, err := q.world.reach(m.Home, refsOf(m.Expr)[name.String()])
			if t := q.world.typeOf(p.source, p.field); err != nil || len(p.steps) == 0 && (t == sdk.TypeDate || t == sdk.TypeTimestamp || t == sdk.TypeTimestampTZ) {
				return p, err
			}
		}
	}
	return place{}, refuse(refusal.CodeGranularity, "%s is no moment", d.Measure)
}

func (e *entity) bind(w *world, home model.SourceID) (err error) {
	e.places = nil
	for _, d := range e.per {
		p, err := d.find(home)
		if err != nil {
			return err
		}
		if p.downs() > 0 {
			return refuse(refusal.CodeDimension, "%s is finer than %s", d.label, w.model.Source(home).Name)
		}
		e.places = append(e.places, p)
	}
	if e.column == nil {
		e.scope.dims = e.per
		e.column, err = e.of(e.scope)
	}
	return err
}

// value is that of the entity of a row.
func (e *entity) value(w *world, home row) any {
	v := view{world: w, scope: e.scope, places: e.places}
	key := v.tuple(choice{"": home})
	if slices.Contains(key, nil) {
		return nil // nobody is no entity
	}
	return e.column.at(key)
}

// inline is the place of an earlier measure of the request that has a name of its own,
// -1 = none is called so.
func (q *question) inline(n *expression.Name) int {
	if len(n.Parts) > 1 {
		return -1
	}
	return slices.IndexFunc(q.Measures[:len(q.columns)], func(m request.Measure) bool {
		return m.Expr != "" && strings.EqualFold(m.Name, n.Parts[0])
	})
}
