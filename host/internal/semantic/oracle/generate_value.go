package oracle

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk/dialect"
)

// measureAsDimension draws the value of a measure per entity.
func (g *Generator) measureAsDimension(name, key string) request.Dimension {
	of := pick(g, g.sources...)
	ref := request.Dimension{Measure: of.name + "." + pick(g, "n", "total"), Per: []string{name + "." + pick(g, key, "kind")}, Name: fmt.Sprint("per", g.rng.IntN(1000))}
	if g.chance(40) {
		ref.Filter = g.ownCondition(of.name + ".")
	}
	aside := g.beside()
	if aside.feature(25, "period of a measure per entity") {
		ref.Measure, ref.Grain = of.name+"."+pick(aside, "first_day", "last_moment"), pick(aside, dialect.Month, dialect.Quarter, dialect.Day)
	}
	if aside.feature(20, "measure per period") {
		ref.Per[0] = name + "." + pick(aside, "day", "day", "moment") + "." + string(pick(aside, dialect.Month, dialect.Week, dialect.Day))
	}
	return ref
}

// beside draws what others than those before it do not depend on.
func (g *Generator) beside() *Generator {
	return &Generator{rng: g.aside, aside: g.aside, sources: g.sources, Features: g.Features}
}

// computedFrom adds dimensions, filters and measures that are computed from rows,
// entities and other measures.
func (g *Generator) computedFrom(r *request.Request, facts []*draft) {
	g = g.beside()
	if len(r.Dimensions) < 3 && g.feature(12, "expression as a dimension") {
		r.Dimensions = append(r.Dimensions, request.Dimension{Expr: g.value(facts), Name: fmt.Sprint("value", g.rng.IntN(1000))})
	}
	if g.feature(6, "filter with a value of an entity") {
		r.Filters = append(r.Filters, request.Filter{SQL: fmt.Sprintf("%s %s %d", g.ofEntity(facts), pick(g, ">", "<=", "<>"), g.rng.IntN(4))})
	}
	if len(r.Measures) > 0 && facts[0].byPeriod && g.chance(25) {
		r.Measures = append(r.Measures, request.Measure{Name: facts[0].name + ".by_period"})
	}
	if len(r.Measures) == 0 || !g.feature(5, "measure of measures of the request") {
		return
	}
	d := facts[0].name
	r.Measures = append(r.Measures,
		request.Measure{Name: "inline", Expr: pick(g, fmt.Sprintf("sum(%s.amount)", d), fmt.Sprintf("count(%s.qty)", d), fmt.Sprintf("sum(%s)", g.value(facts[:1])))},
		request.Measure{Name: "from_inline", Expr: pick(g, fmt.Sprintf("inline / count(%s.qty)", d), fmt.Sprintf("inline - %s.n", d))})
	if len(r.Dimensions) > 0 && g.chance(30) {
		r.Filters = append(r.Filters, request.Filter{SQL: pick(g, "inline > 1", "from_inline < 3")})
	}
}

// ofEntity draws a number that is that of an entity.
func (g *Generator) ofEntity(facts []*draft) string {
	d, name := g.near(facts)
	of := pick(g, g.sources...).name
	measure := pick(g, of+".n", of+".total", fmt.Sprintf("sum(%s.qty)", of), fmt.Sprintf("max(%s.amount) - min(%s.amount)", of, of), fmt.Sprintf("%s.total / count(%s.qty)", of, of))
	return fmt.Sprintf("per(%s, %s.%s)", measure, name, pick(g, d.key[0], "kind", "day.month"))
}

// value draws an expression over rows.
func (g *Generator) value(facts []*draft) string {
	_, name := g.near(facts)
	of := pick(g, g.sources...).name
	return pick(g,
		fmt.Sprintf("CASE WHEN %s THEN 1 ELSE 0 END", g.ownCondition(name+".")),
		fmt.Sprintf("coalesce(%s.qty, 7)", name),
		fmt.Sprintf("%s.amount - %s.qty", name, facts[0].name),
		fmt.Sprintf("month(%s.day)", name),
		g.ofEntity(facts),
		fmt.Sprintf("%s.qty - %s", name, g.ofEntity(facts)),
		fmt.Sprintf("CASE WHEN %s.day = per(%s.first_day, %s.kind) THEN 1 WHEN %s.day IS NOT NULL THEN 0 END", name, of, name, name),
	)
}
