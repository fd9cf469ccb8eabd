package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// members draws what a source has besides its columns.
func (g *Generator) members(d *draft) {
	for _, l := range d.links {
		owner := d
		if l.swapped {
			owner = l.to
		}
		owner.yaml.joins = append(owner.yaml.joins, l.text())
	}
	for _, c := range d.columns {
		if d.of != nil || d.stored[c.Name] != "" {
			d.yaml.dims = append(d.yaml.dims, fmt.Sprintf("{name: %s, type: %s}", c.Name, d.kindOf(c)))
		}
	}
	g.computed(d)
	if g.feature(40, "segment") {
		d.segments = append(d.segments, "chosen")
		d.yaml.segments = append(d.yaml.segments, fmt.Sprintf(`{name: chosen, expr: "%s"}`, g.definition("")))
	}
	d.measure(g.atTime(d, `{name: n, agg: count}`), "n")
	d.measure(g.atTime(d, `{name: total, agg: sum, expr: amount}`), "total")
	for _, m := range []struct{ name, text string }{
		{"kinds", `{name: kinds, agg: count_distinct, expr: kind}`},
		{"mean", `{name: mean, agg: avg, expr: amount}`},
		{"least", `{name: least, agg: min, expr: amount}`},
		{"latest", `{name: latest, agg: max, expr: day}`},
		{"known", `{name: known, agg: count, expr: kind}`},
		{"middle", `{name: middle, agg: median, expr: amount}`},
		{"p75", `{name: p75, agg: percentile, expr: amount, percentile: 0.75}`},
		{"worth", `{name: worth, agg: sum, expr: "amount * (1 - qty)"}`},
		{"weighed", `{name: weighed, expr: "sum(amount * qty) / sum(qty)"}`},
		{"some", fmt.Sprintf(`{name: some, agg: sum, expr: amount, filter: "%s"}`, g.definition(""))},
		{"some_or", fmt.Sprintf(`{name: some_or, agg: sum, expr: amount, filter: "%s", default: 0}`, g.definition(""))},
		{"some_n", fmt.Sprintf(`{name: some_n, agg: count, filter: "%s"}`, g.definition(""))},
		{"stock", fmt.Sprintf(`{name: stock, agg: sum, expr: qty, non_additive: {dimension: day, pick: %s}}`, pick(g, "first", "last"))},
		{"stock_per", `{name: stock_per, agg: sum, expr: qty, non_additive: {dimension: day, pick: last, per: [kind]}}`},
		{"rate", `{name: rate, type: ratio, numerator: total, denominator: n}`},
		{"margin", `{name: margin, type: derived, expr: "total - 2 * (n - 1)"}`},
		{"before", fmt.Sprintf(`{name: before, type: time_shift, measure: total, offset: %s}`, pick(g, "1 month", "3 months", "1 year", "1 day", "2 weeks"))},
		{"running", `{name: running, type: cumulative, measure: total}`},
		{"recent", fmt.Sprintf(`{name: recent, type: cumulative, measure: %s, window: %s}`, pick(g, "total", "n"), pick(g, "2 months", "3 months", "40 days"))},
		{"this_year", `{name: this_year, type: cumulative, measure: n, grain_to_date: year}`},
		{"part", `{name: part, type: share, measure: total}`},
		{"part_of_kind", `{name: part_of_kind, type: share, measure: n, within: [kind]}`},
		{"part_of_kinds", `{name: part_of_kinds, type: share, measure: total, within: [kind, label]}`},
		{"middling", `{name: middling, type: nested, agg: median, measure: n, per: [kind]}`},
		{"typical", fmt.Sprintf(`{name: typical, type: nested, agg: %s, measure: total, per: [label]}`, pick(g, "avg", "max", "sum"))},
	} {
		if g.chance(60) {
			d.measure(g.atTime(d, m.text), m.name)
		}
	}
	g.composed(d)
	g.calendarMeasures(d)
	if aside := g.beside(); aside.feature(20, "measure per period that is nested") {
		d.byPeriod = true
		d.yaml.measures = append(d.yaml.measures, fmt.Sprintf("{name: by_period, type: nested, agg: %s, measure: n, per: [%s]}", pick(aside, "max", "avg"), pick(aside, "day.day", "day.month", "kind, day.week", "moment.day")))
	}
	d.yaml.measures = append(d.yaml.measures, `{name: first_day, agg: min, expr: day}`, `{name: last_moment, agg: max, expr: moment}`)
	if len(d.segments) > 0 {
		d.measure(`{name: chosen_total, agg: sum, expr: amount, segments: [chosen]}`, "chosen_total")
	}
}

// atTime gives a measure of rows a time of its own, at times.
func (g *Generator) atTime(d *draft, text string) string {
	aside := &Generator{rng: g.aside, Features: g.Features}
	if !strings.Contains(text, "agg: ") || strings.Contains(text, "type: nested") || !aside.feature(15, "time of a measure") {
		return text
	}
	times := []string{"moment", "instant", "day"}
	if len(d.links) > 0 && !d.links[0].swapped && d.links[0].role == "" {
		times = append(times, d.links[0].to.name+".day")
	}
	return strings.TrimSuffix(text, "}") + ", time_dimension: " + pick(aside, times...) + "}"
}

// composed draws measures of other times, parts and entities that are made of each
// other.
func (g *Generator) composed(d *draft) {
	for _, m := range []struct{ name, of, text string }{
		{"year_before", "this_year", `{name: year_before, type: time_shift, measure: this_year, offset: 1 year}`},
		{"growth", "year_before", `{name: growth, type: derived, expr: "this_year / year_before - 1"}`},
		{"running_before", "running", fmt.Sprintf(`{name: running_before, type: time_shift, measure: running, offset: %s}`, pick(g, "1 month", "1 year"))},
		{"recent_before", "recent", fmt.Sprintf(`{name: recent_before, type: time_shift, measure: recent, offset: %s}`, pick(g, "1 month", "1 year"))},
		{"before_running", "before", `{name: before_running, type: cumulative, measure: before}`},
		{"before_recent", "before", `{name: before_recent, type: cumulative, measure: before, window: 2 months}`},
		{"before_twice", "before", fmt.Sprintf(`{name: before_twice, type: time_shift, measure: before, offset: %s}`, pick(g, "1 month", "1 year"))},
		{"part_of_running", "running", `{name: part_of_running, type: share, measure: running}`},
		{"part_of_recent", "recent", `{name: part_of_recent, type: share, measure: recent, within: [kind]}`},
		{"part_of_before", "before", `{name: part_of_before, type: share, measure: before}`},
		{"part_before", "part", `{name: part_before, type: time_shift, measure: part, offset: 1 month}`},
		{"kinds_before", "kinds", `{name: kinds_before, type: time_shift, measure: kinds, offset: 1 month}`},
		{"kinds_recent", "kinds", fmt.Sprintf(`{name: kinds_recent, type: cumulative, measure: kinds, window: %s}`, pick(g, "2 months", "28 days", "10 days"))},
		{"kinds_running", "kinds", fmt.Sprintf(`{name: kinds_running, type: cumulative, measure: kinds%s}`, pick(g, "", ", grain_to_date: year", ", grain_to_date: month"))},
		{"mean_year", "mean", `{name: mean_year, type: cumulative, measure: mean, grain_to_date: year}`},
		{"middle_recent", "middle", `{name: middle_recent, type: cumulative, measure: middle, window: 3 months}`},
		{"stock_before", "stock", `{name: stock_before, type: time_shift, measure: stock, offset: 1 month}`},
		{"rate_per", "rate", fmt.Sprintf(`{name: rate_per, type: nested, agg: %s, measure: rate, per: [kind]}`, pick(g, "avg", "max", "median"))},
		{"margin_per", "margin", `{name: margin_per, type: nested, agg: sum, measure: margin, per: [label]}`},
		{"kinds_per", "kinds", `{name: kinds_per, type: nested, agg: avg, measure: kinds, per: [label]}`},
		{"stock_per_kind", "stock", `{name: stock_per_kind, type: nested, agg: max, measure: stock, per: [kind]}`},
		{"middle_per", "middle", `{name: middle_per, type: nested, agg: avg, measure: middle, per: [kind]}`},
		{"some_per", "some_n", `{name: some_per, type: nested, agg: avg, measure: some_n, per: [kind]}`},
		{"running_per", "running", `{name: running_per, type: nested, agg: avg, measure: running, per: [kind]}`},
		{"before_per", "before", `{name: before_per, type: nested, agg: max, measure: before, per: [kind]}`},
		{"typical_running", "typical", `{name: typical_running, type: cumulative, measure: typical}`},
		{"typical_before", "typical", `{name: typical_before, type: time_shift, measure: typical, offset: 1 month}`},
		{"part_of_typical", "typical", `{name: part_of_typical, type: share, measure: typical}`},
	} {
		if slices.Contains(d.measures, m.of) && g.feature(45, "measure over one of another kind") {
			d.measure(m.text, m.name)
		}
	}
	g.distinct(d)
}

// distinct draws counts of distinct values over windows, of rows that a filter leaves
// and moved in time.
func (g *Generator) distinct(d *draft) {
	aside := &Generator{rng: g.aside, Features: g.Features}
	if !aside.feature(25, "distinct values over windows") {
		return
	}
	d.measure(fmt.Sprintf(`{name: some_kinds, agg: count_distinct, expr: %s, filter: "%s"}`, pick(aside, "kind", "qty", "label"), aside.definition("")), "some_kinds")
	d.measure(fmt.Sprintf(`{name: distinct_recent, type: cumulative, measure: some_kinds, window: %s}`, pick(aside, "28 days", "2 weeks", "2 months", "1 quarter")), "distinct_recent")
	d.measure(fmt.Sprintf(`{name: distinct_running, type: cumulative, measure: some_kinds%s}`, pick(aside, "", ", grain_to_date: quarter", ", grain_to_date: week")), "distinct_running")
	d.measure(fmt.Sprintf(`{name: distinct_recent_before, type: time_shift, measure: distinct_recent, offset: %s}`, pick(aside, "1 month", "1 year", "10 days")), "distinct_recent_before")
	d.measure(`{name: distinct_before, type: time_shift, measure: some_kinds, offset: 1 month}`, "distinct_before")
	d.measure(fmt.Sprintf(`{name: distinct_before_recent, type: cumulative, measure: distinct_before, %s}`, pick(aside, "window: 40 days", "grain_to_date: year")), "distinct_before_recent")
}

func (d *draft) measure(text, name string) {
	d.yaml.measures = append(d.yaml.measures, text)
	d.measures = append(d.measures, name)
}

// computed draws dimensions that are expressions, also over what joins lead to.
func (g *Generator) computed(d *draft) {
	add := func(name, typ, expr string) {
		d.dims = append(d.dims, name)
		d.yaml.dims = append(d.yaml.dims, fmt.Sprintf(`{name: %s, type: %s, expr: "%s"}`, name, typ, expr))
	}
	if aside := (&Generator{rng: g.aside, Features: g.Features}); d.of == nil && aside.feature(15, "dimension called like a column") {
		d.yaml.dims = append(d.yaml.dims, pick(aside,
			`{name: label, type: string, expr: "upper(left(label, 1))"}`,
			`{name: kind, type: string, expr: "upper(kind)"}`,
			`{name: qty, type: number, expr: "qty * 2 + 1"}`,
			`{name: amount, type: number, expr: "round(amount + 0.125)"}`))
	}
	if g.feature(40, "computed dimension") {
		add("big", "boolean", "amount > 3")
		add("half", "number", "qty % 2")
	}
	for _, f := range []struct{ name, typ, expr string }{
		{"size", "number", "length(kind)"},
		{"shout", "string", "upper(left(kind, 1))"},
		{"whole", "number", "round(amount + 0.125)"},
		{"bounded", "number", "least(greatest(qty, 1), 2)"},
		{"week_of_year", "number", "iso_week(day)"},
		{"weekday_of", "number", "weekday(day)"},
		{"hour_of", "number", "hour(moment)"},
		{"age", "number", "date_diff_days(day, '2024-03-31')"},
		{"band", "string", "CASE WHEN amount < 0 THEN 'low' WHEN amount >= 5 THEN 'high' ELSE 'middle' END"},
		{"month_of", "time", "date_trunc('month', day)"},
		{"made", "time, column_type: epoch_s", "1704067200 + qty * 86399"},
	} {
		if g.feature(8, "function in a dimension") {
			add(f.name, f.typ, f.expr)
		}
	}
	if g.feature(20, "computed dimension that is never NULL") {
		add("kind_or_none", "string", "coalesce(kind, 'none')")
	}
	if len(d.links) > 0 && !d.links[0].swapped && d.links[0].role == "" && g.feature(20, "dimension over a join") {
		add("both", "string", fmt.Sprintf("concat(coalesce(kind, '-'), coalesce(%s.kind, '-'))", d.links[0].to.name))
	}
}

// combined draws measures over two sources, which belong to one of them.
func (g *Generator) combined() {
	var facts []*draft
	for _, d := range g.sources {
		if d.layer > 1 {
			facts = append(facts, d)
		}
	}
	for i, d := range facts {
		if i == 0 {
			continue
		}
		other := facts[g.rng.IntN(i)]
		if g.feature(60, "measure over two facts") {
			d.measure(fmt.Sprintf(`{name: both_ways, type: derived, expr: "total - %s.total"}`, other.name), "both_ways")
			d.measure(fmt.Sprintf(`{name: per_other, type: ratio, numerator: total, denominator: %s.n}`, other.name), "per_other")
			if key := g.common(d, other); key != "" {
				d.measure(fmt.Sprintf(`{name: both_per, type: nested, agg: avg, measure: both_ways, per: [%s]}`, key), "both_per")
			}
		}
	}
	for _, d := range facts {
		if o := g.below(d); o != nil && g.feature(30, "measure filter on finer rows") {
			d.measure(fmt.Sprintf(`{name: with_part, agg: sum, expr: amount, filter: "%s"}`, g.definition(o.name+".")), "with_part")
		}
		for _, l := range d.links {
			if !l.swapped && l.role == "" && g.feature(35, "measure over a join") {
				d.measure(fmt.Sprintf(`{name: valued, agg: sum, expr: "qty * %s.amount"}`, l.to.name), "valued")
				d.measure(fmt.Sprintf(`{name: of_kind, agg: count, filter: "%s.kind = 'A'"}`, l.to.name), "of_kind")
				break
			}
		}
	}
}

// common is the key of a source that two lead to by a plain join, "" = of none.
func (g *Generator) common(a, b *draft) string {
	for _, l := range a.links {
		for _, o := range b.links {
			if l.to == o.to && l.role == "" && o.role == "" && !l.to.versioned && len(l.to.key) == 1 {
				return l.to.name + ".id"
			}
		}
	}
	return ""
}

// crossing draws measures that belong to no source.
func (g *Generator) crossing() string {
	if !g.feature(40, "metrics") {
		return ""
	}
	a, b := pick(g, g.sources...), pick(g, g.sources...)
	g.metrics = []string{"overall", "gap"}
	return "metrics:\n" +
		fmt.Sprintf("  - {name: overall, type: ratio, numerator: %s.total, denominator: %s.n}\n", a.name, b.name) +
		fmt.Sprintf("  - {name: gap, type: derived, expr: \"%s.n - coalesce(%s.total, 0)\"}\n", a.name, b.name)
}

// definition is a condition inside of double quotes of a file.
func (g *Generator) definition(prefix string) string {
	return strings.ReplaceAll(g.ownCondition(prefix), `\`, `\\`)
}

// ownCondition draws a condition on columns that every source has, behind a
// prefix such as "fa.".
func (g *Generator) ownCondition(prefix string) string {
	return pick(g,
		func() string { return fmt.Sprintf("%skind = '%s'", prefix, pick(g, "A", "B")) },
		func() string { return fmt.Sprintf("%skind <> 'A'", prefix) },
		func() string { return fmt.Sprintf("%skind IN ('A', 'it''s')", prefix) },
		func() string { return fmt.Sprintf("%skind NOT IN ('A', 'B')", prefix) },
		func() string { return fmt.Sprintf("%skind IS NULL", prefix) },
		func() string { return fmt.Sprintf("%samount >= %d", prefix, g.rng.IntN(6)) },
		func() string { return fmt.Sprintf("NOT (%samount BETWEEN 1 AND %d)", prefix, 2+g.rng.IntN(5)) },
		func() string { return fmt.Sprintf("%sqty = %d", prefix, g.rng.IntN(4)) },
		func() string { return fmt.Sprintf("%sflag", prefix) },
		func() string { return fmt.Sprintf("NOT %sflag", prefix) },
		func() string { return fmt.Sprintf("%sday >= '%s'", prefix, pick(g, days...)) },
		func() string { return fmt.Sprintf("%smoment < '2024-02-29'", prefix) },
		func() string { return fmt.Sprintf("%sinstant >= '%s'", prefix, pick(g, days...)) },
		func() string { return fmt.Sprintf("%skind ILIKE 'A_'", prefix) },
		func() string {
			return fmt.Sprintf("%skind %sLIKE '%s'", prefix, pick(g, "", "NOT "), pick(g, `a\%`, `%\_%`, "_", "%", `\\`, "a%", "É"))
		},
		func() string { return fmt.Sprintf("coalesce(%skind, 'A') = 'A'", prefix) },
		func() string { return fmt.Sprintf("abs(%samount) < %d", prefix, 1+g.rng.IntN(6)) },
		func() string { return fmt.Sprintf("%skind IS NOT DISTINCT FROM %slabel", prefix, prefix) },
		func() string { return fmt.Sprintf("year(%sday) = 2024 AND month(%sday) <= 2", prefix, prefix) },
		func() string { return fmt.Sprintf("%samount > %sqty", prefix, prefix) },
	)()
}
