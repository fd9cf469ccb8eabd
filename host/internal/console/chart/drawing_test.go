package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// table makes a result; "NULL" is no value.
func table(types []sdk.Type, rows ...[]string) ([]Column, [][]Cell) {
	columns := make([]Column, len(types))
	for i, t := range types {
		columns[i] = Column{Name: string(rune('a' + i)), Type: t}
	}
	cells := make([][]Cell, len(rows))
	for i, row := range rows {
		for _, text := range row {
			cells[i] = append(cells[i], Cell{Text: text, Null: text == "NULL"})
		}
	}
	return columns, cells
}

// well reads a picture as XML and returns its elements with their attributes, and its texts.
func well(t *testing.T, svg string) (elements []xml.StartElement, texts []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements, texts
		}
		if err != nil {
			t.Fatalf("no XML: %v\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			elements = append(elements, token.Copy())
		case xml.CharData:
			texts = append(texts, string(token))
		}
	}
}

// drawn reports elements and attributes that no picture has.
func drawn(t *testing.T, elements []xml.StartElement) {
	t.Helper()
	for _, e := range elements {
		switch e.Name.Local {
		case "svg", "title", "desc", "text", "line", "rect", "path", "circle":
		default:
			t.Errorf("there is an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if a.Name.Local == "style" || a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("%s has %s", e.Name.Local, a.Name.Local)
			}
		}
	}
}

const (
	tDate, tText, tWhole, tExact, tDouble = sdk.TypeDate, sdk.TypeText, sdk.TypeInt64, sdk.TypeDecimal, sdk.TypeFloat64
)

func TestFor(t *testing.T) {
	t.Parallel()
	months := func(values ...string) (rows [][]string) {
		for i, v := range values {
			rows = append(rows, []string{time.Date(2025, time.Month(i+1), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), v})
		}
		return rows
	}
	for _, tt := range []struct {
		name  string
		types []sdk.Type
		rows  [][]string
		kind  Kind
		says  string
	}{
		{"over time", []sdk.Type{tDate, tExact}, months("12.50", "-3", "NULL", "7"), Line,
			"A line of b over a. 4 times, from 2025-01-01 to 2025-04-01. lowest -3 (2025-02-01), highest 12.50 (2025-01-01); 1 gap."},
		{"unordered", []sdk.Type{tExact, tDate}, [][]string{{"2", "2025-03-01"}, {"1", "2025-01-01"}, {"3", "2025-02-01"}}, Line,
			"A line of a over b. 3 times, from 2025-01-01 to 2025-03-01. lowest 1 (2025-01-01), highest 3 (2025-02-01)."},
		{"one point", []sdk.Type{tDate, tWhole}, months("5"), Line, "A line of b over a. 1 time, from 2025-01-01 to 2025-01-01. one value, 5 (2025-01-01)."},
		{"a missing month", []sdk.Type{tDate, tWhole}, [][]string{{"2025-01-01", "1"}, {"2025-02-01", "1"}, {"2025-04-01", "1"}, {"2025-05-01", "2"}}, Line,
			"A line of b over a. 4 times, from 2025-01-01 to 2025-05-01. lowest 1 (2025-01-01), highest 2 (2025-05-01); 1 gap."},
		{"text that is a month", []sdk.Type{tText, tWhole}, [][]string{{"2025-01", "1"}, {"2025-02", "2"}}, Line,
			"A line of b over a. 2 times, from 2025-01 to 2025-02. lowest 1 (2025-01), highest 2 (2025-02)."},
		{"several lines", []sdk.Type{tDate, tText, tWhole}, [][]string{{"2025-01-01", "x", "1"}, {"2025-01-01", "y", "2"}, {"2025-02-01", "x", "3"}}, Line,
			"A line of c over a for each b. 2 times, from 2025-01-01 to 2025-02-01. x: lowest 1 (2025-01-01), highest 3 (2025-02-01). y: one value, 2 (2025-01-01); 1 gap."},
		{"several measures", []sdk.Type{tDate, tWhole, tExact, tWhole}, [][]string{{"2025-01-01", "1", "2.5", "1000"}, {"2025-02-01", "2", "3", "2000"}}, Line,
			"A line of b, c over a. 2 times, from 2025-01-01 to 2025-02-01. b: lowest 1 (2025-01-01), highest 2 (2025-02-01). c: lowest 2.5 (2025-01-01), highest 3 (2025-02-01)."},
		{"bars", []sdk.Type{tText, tExact}, [][]string{{"north", "12.50"}, {"NULL", "-1"}, {"", "NULL"}}, Bar,
			"Bars of b by a. 3 bars. lowest -1 (NULL), highest 12.50 (north); 1 gap."},
		{"numbers alone", []sdk.Type{tWhole, tWhole}, [][]string{{"2024", "5"}, {"2025", "6"}}, Bar, "Bars of b by a. 2 bars. lowest 5 (2024), highest 6 (2025)."},
		{"names of two parts", []sdk.Type{tText, tText, tWhole}, [][]string{{"a", "x", "1"}, {"a", "y", "2"}}, Bar, "Bars of c by a, b. 2 bars. lowest 1 (a, x), highest 2 (a, y)."},
		{"equal", []sdk.Type{tText, tWhole}, [][]string{{"a", "7"}, {"b", "7"}}, Bar, "Bars of b by a. 2 bars. lowest 7 (a), highest 7 (a)."},
		{"not finite", []sdk.Type{tText, tDouble}, [][]string{{"a", "NaN"}, {"b", "1e308"}}, Bar, "Bars of b by a. 2 bars. one value, 1e308 (b); 1 gap."},

		{"no rows", []sdk.Type{tText, tWhole}, nil, None, "There are no rows."},
		{"no number", []sdk.Type{tText, tDate}, [][]string{{"a", "2025-01-01"}}, None, "No column is a number."},
		{"a number alone", []sdk.Type{tWhole}, [][]string{{"1"}}, None, "No column is a time or a category."},
		{"no value", []sdk.Type{tText, tWhole}, [][]string{{"a", "NULL"}}, None, "No row has a number."},
		{"a bomb", []sdk.Type{tText, tExact}, [][]string{{"a", "1e999999999"}}, None, "No row has a number."},
		{"the same name", []sdk.Type{tText, tWhole}, [][]string{{"a", "1"}, {"a", "2"}}, None, `Several rows are called "a".`},
		{"the same time", []sdk.Type{tDate, tWhole}, [][]string{{"2025-01-01", "1"}, {"2025-01-01", "2"}}, None, "Several rows have the time 2025-01-01."},
		{"the same time with NULL", []sdk.Type{tDate, tWhole}, [][]string{{"2025-01-01", "NULL"}, {"2025-01-01", "2"}}, None, "Several rows have the time 2025-01-01."},
		{"a row without a time", []sdk.Type{tDate, tWhole}, [][]string{{"2025-01-01", "1"}, {"NULL", "2"}}, None, "A row has no a."},
		{"no time", []sdk.Type{tDate, tWhole}, [][]string{{"infinity", "1"}}, None, `"infinity" is no time that can be drawn.`},
		{"many names", []sdk.Type{tText, tText, tText, tText, tWhole}, [][]string{{"a", "b", "c", "d", "1"}}, None, "4 columns are categories, and a bar is named by at most 3."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := For(table(tt.types, tt.rows...))
			if diff := cmp.Diff([]string{string(tt.kind), tt.says}, []string{string(c.Kind), c.Description()}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			svg := string(c.SVG("c", "Title"))
			if (svg == "") != (tt.kind == None) {
				t.Errorf("drawn: %s", svg)
			}
			if svg != "" {
				well(t, svg)
			}
			if again := string(For(table(tt.types, tt.rows...)).SVG("c", "Title")); again != svg {
				t.Error("the same result gives another picture")
			}
		})
	}
}

func TestTooMuch(t *testing.T) {
	t.Parallel()
	var rows, lines [][]string
	for i := range MaxPoints + 1 {
		rows = append(rows, []string{fmt.Sprint("category ", i), fmt.Sprint(i)})
		lines = append(lines, []string{"2025-01-01", fmt.Sprint(i % 7), "1"})
	}
	if c := For(table([]sdk.Type{tText, tWhole}, rows...)); c.Kind != None || !strings.Contains(c.Reason, "501 rows") {
		t.Errorf("%s", c.Reason)
	}
	if c := For(table([]sdk.Type{tDate, tText, tWhole}, lines[:7]...)); c.Kind != None || !strings.Contains(c.Reason, "more than 6 values") {
		t.Errorf("%s", c.Reason)
	}
	c := For(table([]sdk.Type{tText, tWhole}, rows[:MaxPoints]...))
	svg := string(c.SVG("c", "Title"))
	if c.Kind != Bar || len(svg) > 25_000 {
		t.Errorf("%s, %d bytes", c.Kind, len(svg))
	}
	well(t, svg)
}

// Every bar and point is inside of the picture, whatever the numbers are.
func TestInside(t *testing.T) {
	t.Parallel()
	huge := "1" + strings.Repeat("0", 390)
	for _, values := range [][]string{
		{"0"}, {"0", "0"}, {"-5"}, {"-5", "-5"}, {"5", "-5"}, {huge, "-" + huge}, {huge, huge + "1"}, {"1e-300", "2e-300"}, {"1e300", "1e-300"},
		{"12345678901234567890.123456789", "12345678901234567890.123456788"}, {"0.1", "NULL", "0.30000000000000004"}, {"99.99", "100.01"},
	} {
		for _, first := range []sdk.Type{tText, tDate} {
			var rows [][]string
			for i, v := range values {
				name := fmt.Sprint("n", i)
				if first == tDate {
					name = fmt.Sprintf("2025-01-0%d", i+1)
				}
				rows = append(rows, []string{name, v})
			}
			svg := string(For(table([]sdk.Type{first, tExact}, rows...)).SVG("c", "Title"))
			elements, _ := well(t, svg)
			for _, e := range elements {
				for _, a := range e.Attr {
					switch a.Name.Local {
					case "x", "x1", "x2", "cx", "y", "y1", "y2", "cy", "width", "height":
						var f float64
						if _, err := fmt.Sscan(a.Value, &f); err != nil || f < 0 || f > width {
							t.Errorf("%v: %s %s=%s", values, e.Name.Local, a.Name.Local, a.Value)
						}
					case "style":
						t.Errorf("%s has a style", e.Name.Local)
					}
				}
			}
		}
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ low, high, want string }{
		{"0", "0", "0 0.2 0.4 0.6 0.8 1"}, {"3", "97", "0 20 40 60 80 100"}, {"-3", "12.5", "-5 0 5 10 15"}, {"99.99", "100.01", "99.99 99.995 100 100.005 100.01"},
		{"1234567", "8901234", "0 2,000,000 4,000,000 6,000,000 8,000,000 10,000,000"}, {"0", "9e20", "0 2e20 4e20 6e20 8e20 1e21"}, {"0", "3e-9", "0 0.000000001 0.000000002 0.000000003"},
		{"-40", "-35", "-40 -39 -38 -37 -36 -35"}, {"-40", "-10", "-40 -30 -20 -10 0"}, {"0", "3e-12", "0 1e-12 2e-12 3e-12"}, {"0", "0.07", "0 0.02 0.04 0.06 0.08"},
	} {
		s := scaleOf(number(tt.low), number(tt.high), false)
		var got []string
		for _, tick := range s.ticks {
			got = append(got, tick.label)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s to %s (-want +got):\n%s", tt.low, tt.high, diff)
		}
		if s.low.Cmp(number(tt.low)) > 0 || s.high.Cmp(number(tt.high)) < 0 {
			t.Errorf("%s to %s is not inside of the axis", tt.low, tt.high)
		}
	}
	if got := decimal(big.NewInt(-1250), -2); got != "-12.5" {
		t.Error(got)
	}
}

func TestTimeTicks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ from, to, want string }{
		{"2024-01-01", "2025-12-01", "2024-01 2024-07 2025-01 2025-07"}, {"2025-01-06", "2025-01-09", "2025-01-06 2025-01-07 2025-01-08 2025-01-09"},
		{"1999-05-05", "2024-01-09", "2000 2005 2010 2015 2020"}, {"0001-01-01", "9999-12-31", "2000 4000 6000 8000"},
		{"2025-01-01T08:10:00Z", "2025-01-01T13:50:00Z", "01-01 09:00 01-01 10:00 01-01 11:00 01-01 12:00 01-01 13:00"}, {"2025-01-01T08:10:00.1", "2025-01-01T08:10:00.9", "2025-01-01T08:10:00.1"},
	} {
		first, _ := moment(tt.from)
		last, _ := moment(tt.to)
		var got []string
		for _, tick := range timeTicks([]place{{label: tt.from, at: first}, {label: tt.to, at: last}}) {
			got = append(got, tick.label)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s to %s (-want +got):\n%s", tt.from, tt.to, diff)
		}
	}
}

// What a warehouse says is shown and does nothing, and a decimal is shown as the engine gave it.
func TestTexts(t *testing.T) {
	t.Parallel()
	hostile := []string{
		"<script>alert(1)</script>", `"><image href="x" onload="alert(1)"/>`, "]]></svg>", "a\x00\x1b\u202eb", strings.Repeat("w", 1<<20), "&lt;", "\xff\xfe", "{{template}}",
	}
	var rows [][]string
	for i, h := range hostile {
		rows = append(rows, []string{h, fmt.Sprintf("%d.50", i)})
	}
	columns, cells := table([]sdk.Type{tText, tExact}, rows...)
	columns[0].Name, columns[1].Name, columns[1].Unit = hostile[0], hostile[1], hostile[2]
	svg := string(For(columns, cells).SVG("c", hostile[0]))
	elements, texts := well(t, svg)
	drawn(t, elements)
	all := strings.Join(texts, "\n")
	if len(svg) > 10_000 || strings.ContainsAny(all, "\x00\x1b\u202e\ufffd") || !strings.Contains(all, "<script>alert(1)</sc") {
		t.Errorf("%d bytes: %s", len(svg), all)
	}
	if !slices.Contains(texts, "7.50") {
		t.Errorf("no 7.50 in %s", all)
	}
}

// Lines are told apart without their colours.
func TestLinesDiffer(t *testing.T) {
	t.Parallel()
	var rows [][]string
	for i := range maxSeries {
		for m := 1; m <= 3; m++ {
			rows = append(rows, []string{fmt.Sprintf("2025-0%d-01", m), fmt.Sprint("line ", i), fmt.Sprint(i * m)})
		}
	}
	elements, _ := well(t, string(For(table([]sdk.Type{tDate, tText, tWhole}, rows...)).SVG("c", "")))
	seen := map[string]bool{}
	for _, e := range elements {
		if e.Name.Local == "path" {
			dashes := "none"
			for _, a := range e.Attr {
				if a.Name.Local == "stroke-dasharray" {
					dashes = a.Value
				}
			}
			seen[dashes] = true
		}
	}
	if len(seen) != maxSeries {
		t.Errorf("%d dashes: %v", len(seen), seen)
	}
}

func FuzzChart(f *testing.F) {
	f.Add("2025-01-01", "1e5", "-0.5", uint8(3))
	f.Add("x", "9", "NaN", uint8(6))
	f.Fuzz(func(t *testing.T, a, b, c string, kind uint8) {
		columns := []Column{{Name: a, Type: sdk.Type(kind % 12), Unit: c}, {Name: b, Type: tExact}}
		rows := [][]Cell{{{Text: a}, {Text: b}}, {{Text: c}, {Text: c}}, {{Text: b}, {Null: true}}}
		if svg := string(For(columns, rows).SVG("c", a)); svg != "" {
			elements, _ := well(t, svg)
			drawn(t, elements)
		}
	})
}
