package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// members are the rows that aggregates and orders work on: numbers and text,
// with duplicates and NULL.
var members = []struct{ x, t operand }{
	{plain("2"), quoted("b")},
	{plain("8"), quoted("a")},
	{nullOf("int64"), nullOf("text")},
	{plain("1"), quoted("c")},
	{plain("4"), nullOf("text")},
	{plain("2"), nullOf("text")},
	{plain("4"), nullOf("text")},
}

// from is a FROM with the members, written as every engine can: x and t of n.
func (s *script) from() string {
	rows := make([]string, len(members))
	for i, m := range members {
		x, okX := s.write(m.x)
		t, okT := s.write(m.t)
		if !m.x.null {
			x, okX = s.cast(x, "int64")
		}
		if !m.t.null {
			t, okT = s.cast(t, "text")
		}
		if !okX || !okT {
			s.probe.undeclared("the dialect cannot cast to int64 and text")
		}
		rows[i] = "SELECT " + x + " AS " + s.name("x") + ", " + t + " AS " + s.name("t")
		if empty, ok := s.d.Expand(dialect.EmptyFrom, nil); ok {
			rows[i] += " " + empty
		}
	}
	return "FROM (" + strings.Join(rows, " UNION ALL ") + ") " + s.name("n")
}

// dialectAggregate: over all members, and over none.
func dialectAggregate(s *script) {
	x, t, from := plain(s.name("x")), plain(s.name("t")), s.from()
	s.evaluate(from, s.forms([]formCase{
		{dialect.Sum, args{"x": x}, number("21")},
		{dialect.Avg, args{"x": x}, double("3.5")},
		{dialect.Count, args{"x": x}, whole("6")},
		{dialect.Count, args{"x": t}, whole("3")},
		{dialect.CountDistinct, args{"x": x}, whole("4")},
		{dialect.CountDistinct, args{"x": t}, whole("3")},
		{dialect.ApproxDistinct, args{"x": x}, whole("4")},
		{dialect.Min, args{"x": x}, number("1")},
		{dialect.Max, args{"x": x}, number("8")},
		{dialect.Min, args{"x": t}, words("a")},
		{dialect.Max, args{"x": t}, words("c")},
		{dialect.Median, args{"x": x}, double("3")},
		{dialect.Percentile, args{"x": x, "p": plain("0.5")}, double("3")},
		{dialect.Percentile, args{"x": x, "p": plain("0.1")}, double("1.5")},
		{dialect.Percentile, args{"x": x, "p": plain("0")}, double("1")},
		{dialect.Percentile, args{"x": x, "p": plain("1")}, double("8")},
		{dialect.StringAgg, args{"x": t, "sep": quoted(`'; `)}, words(`a'; b'; c`)},
	}))
	for _, none := range []string{" > 100", " IS NULL"} {
		s.evaluate(from+" WHERE "+s.name("x")+none, s.forms([]formCase{
			{dialect.Sum, args{"x": x}, null},
			{dialect.Avg, args{"x": x}, null},
			{dialect.Count, args{"x": x}, whole("0")},
			{dialect.CountDistinct, args{"x": x}, whole("0")},
			{dialect.ApproxDistinct, args{"x": x}, whole("0")},
			{dialect.Min, args{"x": x}, null},
			{dialect.Max, args{"x": x}, null},
			{dialect.Median, args{"x": x}, null},
			{dialect.Percentile, args{"x": x, "p": plain("0.5")}, null},
			{dialect.StringAgg, args{"x": t, "sep": quoted("-")}, null},
		}))
	}
}

// dialectSum: sums are exact, or an error when they are too large, and an average
// has its digits behind the point.
func dialectSum(s *script) {
	for _, c := range []struct{ logical, a, b, sum, avg string }{
		{"int64", "1", "2", "3", "1.5"},
		{"int64", "-5", "2", "-3", "-1.5"},
		{"int64", "9223372036854775807", "9223372036854775807", "18446744073709551614", "9223372036854775807"},
		{"decimal", "0.1", "0.2", "0.3", "0.15"},
		{"decimal", "123456789012345678.25", "0.5", "123456789012345678.75", "61728394506172839.375"},
		{"float64", "1.5", "2.25", "3.75", "1.875"},
	} {
		from, ok := s.values(c.logical, c.a, c.b)
		if !ok {
			continue
		}
		x := args{"x": plain(s.name("x"))}
		s.evaluate(from, s.forms([]formCase{{dialect.Avg, x, double(c.avg)}}))
		form := dialect.SumOf(c.logical)
		if _, ok := s.d.Forms[form]; !ok {
			form = dialect.Sum
		}
		sum, ok := s.expand(form, x)
		if !ok {
			return
		}
		all := s.selection(from, []exam{{sql: sum}})
		switch _, err := s.ask(all); {
		case err != nil && len(c.sum) > len(c.a):
			s.probe.remark("the sum of large numbers is an error")
		case c.logical == "int64": // a double near it is wrong
			s.wantList(string(form), all, c.sum)
		default:
			s.evaluate(from, []exam{{string(form) + " of " + c.logical, sum, number(c.sum)}})
		}
	}
	s.lastRows("int64", "9000000000000000000")
	s.lastRows("decimal", "123456789012345678.25")
	s.lastRows("float64", "9e20")
}

// lastRows: a large number that left the frame leaves no rounding error behind.
func (s *script) lastRows(logical, large string) {
	frame, ok := s.d.Expand(dialect.LastRows(logical), map[string]string{"n": "1"})
	if !ok {
		return
	}
	if from, ok := s.values(logical, large, "3", "2", "1"); ok {
		x, sum := s.name("x"), s.name("s")
		rows := "FROM (SELECT " + x + ", SUM(" + x + ") OVER (ORDER BY " + x + " DESC " + frame + ") AS " + sum + " " + from + ") " + s.name("w") + " WHERE " + x + " = 2"
		s.evaluate(rows, []exam{{string(dialect.LastRows(logical)), sum, number("5")}})
	}
}

// dialectMedian: what is between two decimals has more digits than they.
func dialectMedian(s *script) {
	for _, logical := range []string{"int64", "decimal", "float64"} {
		texts, median := []string{"1.00", "1.01"}, "1.005"
		if logical == "int64" {
			texts, median = []string{"1", "2"}, "1.5"
		}
		from, ok := s.values(logical, texts...)
		if !ok {
			continue
		}
		x, half := plain(s.name("x")), valueOf("decimal", "0.5")
		if _, ok := s.d.Forms[dialect.Literal("decimal")]; !ok {
			half = plain("0.5")
		}
		s.evaluate(from, s.forms([]formCase{
			{dialect.Median, args{"x": x}, double(median)},
			{dialect.Percentile, args{"x": x, "p": half}, double(median)},
		}))
	}
}

// dialectOrder: the four orders that say where NULL goes, and the two that do not.
func dialectOrder(s *script) {
	const ascending, descending = "1 2 2 4 4 8", "8 4 4 2 2 1"
	selection := "SELECT " + s.name("x") + " " + s.from() + " ORDER BY "
	for form, want := range map[dialect.Form]string{
		dialect.AscNullsLast: ascending + " NULL", dialect.AscNullsFirst: "NULL " + ascending,
		dialect.DescNullsLast: descending + " NULL", dialect.DescNullsFirst: "NULL " + descending,
	} {
		if key, ok := s.expand(form, args{"x": plain(s.name("x"))}); ok {
			s.wantList(string(form), selection+key, want)
		}
	}
	placed := func(sorted string, place dialect.NullPlace) string {
		if place == dialect.NullsFirst {
			return "NULL " + sorted
		}
		return sorted + " NULL"
	}
	s.wantList("NullsAscending", selection+s.name("x")+" ASC", placed(ascending, s.d.NullsAscending))
	s.wantList("NullsDescending", selection+s.name("x")+" DESC", placed(descending, s.d.NullsDescending))
}

func dialectLimit(s *script) {
	x := s.name("x")
	rest := x + " " + s.from() + " WHERE " + x + " IS NOT NULL ORDER BY " + x
	first, second := "SELECT "+rest+" LIMIT 2", "SELECT "+rest+" LIMIT 3 OFFSET 2"
	switch s.d.Limit {
	case dialect.LimitTop:
		first, second = "SELECT TOP (2) "+rest, "SELECT "+rest+" OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY"
	case dialect.LimitFetch:
		first, second = "SELECT "+rest+" OFFSET 0 ROWS FETCH FIRST 2 ROWS ONLY", "SELECT "+rest+" OFFSET 2 ROWS FETCH FIRST 3 ROWS ONLY"
	}
	s.wantList("the limit", first, "1 2")
	s.wantList("the limit with an offset", second, "2 4 4")
}

func dialectInline(s *script) {
	rows := s.inlineRows("1, "+s.d.QuoteString("a"), "2, "+s.d.QuoteString("it's"), "3, NULL")
	table, ok := s.expand(dialect.Inline, args{"rows": plain(rows), "name": plain(s.name("v")), "columns": plain(s.name("id") + ", " + s.name("label"))})
	if ok {
		s.wantList("inline.table", "SELECT "+s.name("v")+"."+s.name("label")+" FROM "+table+" ORDER BY "+s.name("v")+"."+s.name("id"), "a it's NULL")
	}
}

// inlineRows writes the rows of an inline table.
func (s *script) inlineRows(values ...string) string {
	for i, v := range values {
		if row, ok := s.d.Expand(dialect.InlineRow, map[string]string{"values": v}); ok {
			values[i] = row
		} else {
			values[i] = "(" + v + ")"
		}
	}
	between, ok := s.d.Expand(dialect.InlineBetween, nil)
	if !ok {
		between = ", "
	}
	return strings.Join(values, between)
}

// dialectSample: a sample of everything has every row.
func dialectSample(s *script) {
	if _, ok := s.d.Forms[dialect.Sample]; !ok {
		s.lack(string(dialect.Sample))
		return
	}
	for _, t := range s.probe.needTables(1) {
		if t.Kind != sdk.TableBase {
			continue
		}
		table := s.table(t.TableRef)
		sample, ok := s.expand(dialect.Sample, args{"table": plain(table), "percent": plain("100")})
		if !ok {
			return
		}
		all, ok := s.list("counting", "SELECT COUNT(*) FROM "+table)
		if !ok || len(all) == 1 && all[0] == "0" {
			continue
		}
		s.wantList(string(dialect.Sample), "SELECT COUNT(*) FROM "+sample, strings.Join(all, " "))
		return
	}
	s.wrongf("no table of Fixture.Tables has rows to sample")
}

// table writes a table's name with as many parts as the engine has levels.
func (s *script) table(ref sdk.TableRef) string {
	parts := []string{s.name(ref.Catalog), s.name(ref.Schema), s.name(ref.Name)}
	return strings.Join(parts[2-min(2, len(s.d.Namespace)):], ".")
}

// dialectHashOrder: an order that mixes, the same one each time.
func dialectHashOrder(s *script) {
	key, ok := s.expand(dialect.HashOrder, args{"x": plain(s.name("i"))})
	if !ok {
		return
	}
	const most = 16
	rows := make([]string, most)
	for i := range rows {
		rows[i] = fmt.Sprintf("SELECT %d AS %s", i+10, s.name("i"))
		if empty, ok := s.d.Expand(dialect.EmptyFrom, nil); ok {
			rows[i] += " " + empty
		}
	}
	sql := "SELECT " + s.name("i") + " FROM (" + strings.Join(rows, " UNION ALL ") + ") " + s.name("n") + " ORDER BY " + key
	first, ok := s.list("sample.hash", sql)
	second, again := s.list("sample.hash", sql)
	if !ok || !again {
		return
	}
	if !slices.Equal(first, second) {
		s.wrongf("sample.hash: %s orders %q, then %q", key, first, second)
	}
	if slices.IsSorted(first) || len(slices.Compact(slices.Sorted(slices.Values(first)))) != most {
		s.wrongf("sample.hash: %s orders 10 to 25 as %q", key, first)
	}
}
