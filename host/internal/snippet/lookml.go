package snippet

import (
	"maps"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/text"
)

func itoa(n int) string { return strconv.Itoa(n) }

// The keys of LookML's constructs that are read, and those that change nothing of a
// number.
const (
	lookShown = ` label view_label group_label group_item_label description hidden tags synonyms value_format value_format_name html link
		action drill_fields suggestable suggestions suggest_dimension suggest_explore order_by_field can_filter alias map_layer_name
		bypass_suggest_restrictions full_suggestions case_sensitive style skip_drill_filter precision`
	lookViewKeys = keys(`sql_table_name derived_table label description dimension dimension_group measure set drill_fields suggestions
		view_label final extension`)
	lookDimensionKeys keys = "type sql primary_key timeframes convert_tz datatype intervals sql_start sql_end" + lookShown
	lookMeasureKeys   keys = "type sql filters percentile approximate" + lookShown
	lookJoinKeys      keys = "type relationship sql_on foreign_key from view_name fields view_label required_joins outer_only"
	lookExploreKeys   keys = "from view_name join label description group_label fields hidden tags view_label persist_for case_sensitive query extension"
)

var lookAggregates = map[string]expression.AggregateFunction{
	"count": expression.Count, "sum": expression.Sum, "average": expression.Avg, "min": expression.Min, "max": expression.Max,
	"median": expression.Median, "count_distinct": expression.CountDistinct, "percentile": expression.Percentile,
}

// view is one view by its members.
type view struct {
	block      *block
	name       string // without the + of a refinement
	table      string
	problem    *fault
	dimensions map[string]*block
	measures   map[string]bool
	written    inlined
}

type lookReader struct {
	reader *reader
	views  map[string]*view
}

// readLookML reads views and explores; measures and dimensions that stand alone are of a
// table that is not said.
func readLookML(content string) *Snippet {
	r := &lookReader{reader: newReader(LookML, content), views: map[string]*view{}}
	all, line, problem := parseLook(content)
	bare, views := &block{key: "view", line: 1}, map[*block]*view{}
	for _, b := range all {
		switch b.key {
		case "view":
			v := newView(b, r.views[strings.TrimPrefix(b.value, "+")])
			r.views[v.name], views[b] = v, v
		case "dimension", "dimension_group", "measure":
			bare.entries = append(bare.entries, b)
		}
	}
	if bare.entries != nil {
		r.members(newView(bare, nil))
	}
	for _, b := range all {
		switch b.key {
		case "view":
			r.view(views[b])
		case "explore":
			r.explore(b)
		case "dimension", "dimension_group", "measure", "include", "connection", "label", "datagroup", "persist_with", "persist_for", "week_start_day", "case_sensitive":
		default:
			r.reader.add(Item{Kind: Table, Name: b.key, LeftOut: unsupported, Message: b.key + " defines no member of a table"}, b.line)
		}
	}
	if problem != nil {
		r.reader.add(Item{Kind: Table, LeftOut: problem.code, Message: problem.message}, line)
	}
	return r.reader.snippet
}

// newView returns a view; what it does not say itself, one of the name before it does,
// which it refines.
func newView(b *block, before *view) *view {
	v := &view{block: b, name: strings.TrimPrefix(b.value, "+"), dimensions: map[string]*block{}, measures: map[string]bool{}, written: inlined{}}
	v.table = strings.NewReplacer(`"`, "", "`", "").Replace(b.text("sql_table_name"))
	if before != nil {
		maps.Copy(v.dimensions, before.dimensions)
		maps.Copy(v.measures, before.measures)
		v.problem = before.problem
		if v.table == "" {
			v.table = before.table
		}
	}
	if v.table == "" {
		v.table = v.name
	}
	switch {
	case len(b.all("derived_table")) > 0:
		v.problem = faultf(unsupported, "the rows of %s are those of a query, of no table", v.name)
	case len(b.all("extends")) > 0:
		v.problem = faultf(unsupported, "%s extends another view, whose members are not here", v.name)
	case strings.ContainsAny(v.table, "{}@$"):
		v.problem = faultf(templated, "the table of %s is a template", v.name)
	}
	for _, e := range b.entries {
		switch e.key {
		case "dimension", "dimension_group":
			v.dimensions[e.value] = e
		case "measure":
			v.measures[e.value] = true
		}
	}
	return v
}

func (r *lookReader) view(v *view) {
	i := Item{Kind: Table, Table: v.table, Name: v.name, Label: v.block.text("label"), Description: v.block.text("description")}
	if v.problem != nil {
		i.refuse(v.problem)
	}
	r.reader.add(i, v.block.line)
	r.unread(v.block, v.table, lookViewKeys+" extends")
	r.members(v)
}

// unread reports the entries of a block that no item is for.
func (r *lookReader) unread(b *block, table string, known keys) {
	for _, e := range b.entries {
		if i := (Item{Kind: Table, Table: table, Name: e.key}); known.unknownKey(&i, e.key) {
			r.reader.add(i, e.line)
		}
	}
}

func (r *lookReader) members(v *view) {
	for _, e := range v.block.entries {
		var known keys
		i := Item{Table: v.table, Name: e.value, Label: e.text("label"), Description: e.text("description")}
		switch e.key {
		case "dimension", "dimension_group":
			i.Kind, known = Column, lookDimensionKeys
		case "measure":
			i.Kind, known = MeasureItem, lookMeasureKeys
		default:
			continue
		}
		if s := e.all("synonyms"); len(s) > 0 {
			i.Synonyms = s[0].list
		}
		if v.problem != nil {
			i.refuse(v.problem)
		}
		for _, key := range e.entries {
			if i.LeftOut == "" {
				known.unknownKey(&i, key.key)
			}
		}
		switch {
		case i.LeftOut != "":
		case i.Kind == MeasureItem:
			r.measure(v, &i, e)
		default:
			r.dimension(v, &i, e)
		}
		r.reader.add(i, e.line)
	}
}

func (r *lookReader) dimension(v *view, i *Item, e *block) {
	if kind := e.text("type"); kind == "duration" || kind == "location" || kind == "tier" || kind == "bin" {
		i.refuse(faultf(unsupported, "a dimension of type %s is computed, and written by a person", kind))
		return
	}
	node, f := r.sql(v, lookSQL(e), 0)
	if f != nil {
		i.refuse(f)
		return
	}
	i.column(node)
}

// lookSQL is what a dimension computes; without it, the column of its name.
func lookSQL(e *block) string {
	if sql := e.text("sql"); sql != "" {
		return sql
	}
	return "${TABLE}." + e.value
}

func (r *lookReader) measure(v *view, i *Item, e *block) {
	kind := e.text("type")
	if kind == "" {
		kind = "string"
	}
	filter, f := r.filters(v, e)
	if f != nil {
		i.refuse(f)
		return
	}
	aggregate, ok := lookAggregates[kind]
	switch {
	case kind == "number" && filter == nil:
		r.number(v, i, e.text("sql"))
	case !ok:
		i.refuse(faultf(unsupported, "a measure of type %s is not read", kind))
	case kind != "count" && e.text("sql") == "":
		i.refuse(faultf(unsupported, "a measure of type %s needs sql", kind))
	default:
		a := &expression.Aggregate{Function: aggregate}
		if kind != "count" {
			if a.X, f = r.sql(v, e.text("sql"), 0); f != nil {
				i.refuse(f)
				return
			}
		}
		if kind == "count_distinct" && e.text("approximate") == "yes" {
			a.Function = expression.ApproxDistinct
		}
		if kind == "percentile" {
			if a.Parameter, f = percentage(e.text("percentile")); f != nil {
				i.refuse(f)
				return
			}
		}
		i.define(a, filter)
	}
	i.lookFormat(e)
}

// percentage reads 75 as 0.75.
func percentage(text string) (*expression.Literal, *fault) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 100 {
		return nil, faultf(unsupported, "the percentile %q is no whole number from 0 to 100", text)
	}
	node, parsed := expression.Parse(strconv.FormatFloat(float64(n)/100, 'f', -1, 64))
	literal, ok := node.(*expression.Literal)
	if parsed != nil || !ok {
		return nil, faultf(unsupported, "the percentile %q is no number", text)
	}
	return literal, nil
}

func (i *Item) lookFormat(e *block) {
	if i.Definition == nil {
		return
	}
	name, _, _ := strings.Cut(e.text("value_format_name"), "_")
	switch name {
	case "percent":
		i.Definition = append(i.Definition, Key{"format", "percent"})
	case "usd", "eur", "gbp":
		i.Unit = strings.ToUpper(name)
		i.Definition = append(i.Definition, Key{"format", "currency"})
	}
	if e.text("hidden") == "yes" {
		i.Definition = append(i.Definition, Key{"visibility", "hidden"})
	}
}

// number reads a calculation over measures of the view, or over its rows.
func (r *lookReader) number(v *view, i *Item, sql string) {
	over := 0
	resolved := field().ReplaceAllStringFunc(sql, func(m string) string {
		name := strings.TrimPrefix(strings.Trim(m, "${} "), v.name+".")
		if !v.measures[name] {
			return m
		}
		over++
		return name
	})
	node, f := r.sql(v, resolved, 0)
	switch {
	case f != nil:
		i.refuse(f)
	case over == 0:
		i.define(node, nil)
	default:
		i.derive(node)
	}
}

// field is a reference to a field, or to the table of a view.
var field = text.Pattern(`\$\{\s*[A-Za-z_][\w.]*\s*\}`)

// frame is what a dimension group's field is called behind the group's name.
var frame = text.Pattern(`_(raw|time|date|week|month|quarter|year|hour|minute|second|day_of_week|month_name|hour_of_day|fiscal_\w+)$`)

// sql reads a fragment of a view; dimensions that it refers to are written out.
func (r *lookReader) sql(v *view, sql string, depth int) (expression.Node, *fault) {
	if strings.Contains(sql, "@{") || strings.Contains(sql, "{%") || strings.Contains(sql, "{{") {
		return nil, faultf(templated, "Liquid and constants are not run; write what they stand for")
	}
	resolved, f := inline(field(), strings.NewReplacer("${TABLE}.", "", "`", `"`).Replace(sql), func(m string) (string, *fault) {
		name := strings.Trim(m, "${} ")
		source, member, dotted := strings.Cut(name, ".")
		if !dotted {
			source, member = v.name, name
		}
		group := frame().ReplaceAllString(member, "")
		switch d := v.dimensions[member]; {
		case source != v.name:
			return "", faultf(joinNeeded, "%s is of another view", name)
		case d == nil && v.measures[member]:
			return "", faultf(notAnAggregate, "%s is a measure", member)
		case d == nil && v.dimensions[group] != nil && v.dimensions[group].key == "dimension_group":
			if !strings.HasSuffix(member, "_raw") {
				return "", faultf(unsupported, "%s is a period of %s; use the raw time", member, group)
			}
			d, member = v.dimensions[group], group
			fallthrough
		case d != nil:
			return v.written.of(member, depth, func() (expression.Node, *fault) { return r.sql(v, lookSQL(d), depth+1) })
		}
		return "", faultf(unsupported, "%s is no dimension of the snippet; write it as ${TABLE}.%s if it is a column", member, member)
	})
	if f != nil {
		return nil, f
	}
	return parse(resolved, v.name, lastPart(v.table), v.table)
}

// explore reads the joins of an explore. What an explore filters is left out: there are
// no hidden filters.
func (r *lookReader) explore(b *block) {
	base := b.text("from")
	if base == "" {
		base = b.text("view_name")
	}
	if base == "" {
		base = strings.TrimPrefix(b.value, "+")
	}
	table := r.tableOf(base)
	for _, e := range b.entries {
		switch e.key {
		case "join":
			r.join(e, table, map[string]string{base: table, strings.TrimPrefix(b.value, "+"): table})
		case "sql_always_where", "sql_always_having", "always_filter", "conditionally_filter", "access_filter":
			r.reader.add(Item{Kind: SegmentItem, Table: table, Name: e.key, LeftOut: unsupported, Message: "an explore's filter applies to no request here; define a segment or a measure with a filter"}, e.line)
		}
	}
	r.unread(b, table, lookExploreKeys+" sql_always_where sql_always_having always_filter conditionally_filter access_filter")
}

// tableOf is the table of a view, its name where the view is not here.
func (r *lookReader) tableOf(name string) string {
	if v := r.views[name]; v != nil {
		return v.table
	}
	return name
}

func (r *lookReader) join(e *block, table string, known map[string]string) {
	from := e.text("from")
	if from == "" {
		from = e.value
	}
	to := lastPart(r.tableOf(from))
	i := Item{Kind: JoinItem, Table: table, Name: e.value}
	relationship := e.text("relationship")
	if relationship == "" {
		relationship = "many_to_one"
	}
	for _, key := range e.entries {
		if i.LeftOut == "" {
			lookJoinKeys.unknownKey(&i, key.key)
		}
	}
	switch {
	case i.LeftOut != "":
	case relationship == "many_to_many":
		i.refuse(faultf(unsupported, "a join is many_to_one, one_to_one or one_to_many"))
	case e.text("sql_on") == "":
		i.refuse(faultf(unsupported, "the join has no sql_on"))
	default:
		r.on(&i, e, to, relationship, known)
	}
	r.reader.add(i, e.line)
}

func (r *lookReader) on(i *Item, e *block, to, relationship string, known map[string]string) {
	role := ""
	if !strings.EqualFold(e.value, to) && e.text("from") != "" {
		role = e.value
	}
	sql, f := inline(field(), e.text("sql_on"), func(m string) (string, *fault) {
		source, member, dotted := strings.Cut(strings.Trim(m, "${} "), ".")
		if !dotted {
			return "", faultf(unsupported, "%s names no view", m)
		}
		name, view := lastPart(r.tableOf(source)), r.views[source]
		switch {
		case source == e.value && role != "":
			name, view = role, r.views[e.text("from")]
		case known[source] != "":
			name = lastPart(known[source])
		}
		if view != nil && view.dimensions[member] != nil {
			column, f := view.written.of(member, 0, func() (expression.Node, *fault) { return r.sql(view, lookSQL(view.dimensions[member]), 1) })
			if f != nil || strings.HasPrefix(column, "(") {
				return "", faultf(unsupported, "%s.%s is computed; a join relates columns", source, member)
			}
			member = column
		}
		return name + "." + member, nil
	})
	var node expression.Node
	if f == nil {
		node, f = parseAny(sql)
	}
	if f != nil {
		i.refuse(f)
		return
	}
	if i.Definition = []Key{{"to", to}, {"on", expression.String(node)}, {"relationship", relationship}}; role != "" {
		i.Definition = append(i.Definition, Key{"role", role})
	}
	if kind := e.text("type"); kind != "" && kind != "left_outer" {
		i.note("the join is " + kind + " there; here a request starts from the rows of the measure")
	}
}
