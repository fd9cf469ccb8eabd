package semantic

import (
	"context"
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/text"
)

type sourceData struct {
	Connection string `json:"connectionId"`
	Name       string `json:"name"`
	About      string `json:"about,omitempty"`
	Broken     string `json:"broken,omitempty"`
	// Facts are what its rows are, in pairs of a word and a text.
	Facts []page.Pair `json:"facts"`
	SQL   string      `json:"sql,omitempty"`
	// Table is the address of its table in the catalog, "" = it has none.
	Table string `json:"-"`
	// Told is what people want agents to know.
	Told     string    `json:"told,omitempty"`
	Problems []problem `json:"problems,omitempty"`
	// Conflicts are statements that contradict it.
	Conflicts []conflict `json:"conflicts,omitempty"`
	Notes     []string   `json:"notes,omitempty"`

	Tabs []tab `json:"-"`
	// Part is the chosen list: measures, dimensions, segments, joins, origins.
	Part  string     `json:"part"`
	Lines []line     `json:"lines"`
	Pager page.Pager `json:"pager"`
	// Claims are what its numbers rest on.
	Claims []claim `json:"claims,omitempty"`
	// Checking: the claims are compared with the data below.
	Checking bool `json:"checking,omitempty"`
}

// tab is one list of a source.
type tab struct {
	Name, Link string
	Count      int
	Now        bool
}

// conflict is a statement that waits for a person.
type conflict struct {
	By     string `json:"by"`
	At     string `json:"at"`
	Says   string `json:"says"`
	Change string `json:"changeId"`
}

// The sizes of the page of a source.
const (
	listedMembers   = 50
	listedConflicts = 5
)

// source describes a source.
func (p *pages) source(ctx context.Context, r *page.Request) (*page.View, error) {
	id := connection.ID(r.Path("connection"))
	a, err := p.Semantic.ReadSource(ctx, semanticquery.SourceRequest{Connection: id, Name: r.Path("source"), Origins: true, Whole: true})
	if err != nil {
		return nil, err
	}
	d := &sourceData{
		Connection: string(id), Name: brief(a.Name, roomName), Broken: brief(a.Broken, roomText), Facts: facts(a), SQL: brief(a.SQL, roomText),
		Problems: problemsOf(a.Problems[:min(len(a.Problems), listedProblems)]), Conflicts: conflictsOf(a.Disputed), Claims: claimsOf(a),
	}
	if a.Description != nil {
		d.About = brief(*a.Description, roomText)
	}
	if a.AIContext != nil {
		d.Told = brief(a.AIContext.Instructions, roomText)
	}
	if a.Table != "" && len(a.Table) <= linkedName {
		d.Table = page.Link("catalog", string(id), "table", a.Table)
	}
	d.Notes, _ = briefAll(a.Notes, listedNotes, roomLine)
	lists := partsOf(a)
	chosen := lists[0]
	for _, l := range lists {
		if chosen.count == 0 || l.name == r.Param("part") {
			chosen = l
		}
	}
	for _, l := range lists {
		d.Tabs = append(d.Tabs, tab{l.name, page.With(r.URL, "part", l.name), l.count, l.name == chosen.name})
	}
	from, err := offset(r.Param("cursor"), chosen.count)
	if err != nil {
		return nil, err
	}
	d.Part, d.Lines = chosen.name, []line{}
	end := from
	for room := roomList; end < chosen.count && end-from < listedMembers; end++ {
		one := chosen.at(end)
		room -= len(one.Name) + len(one.Is) + len(one.About) + len(one.Broken) + 300
		if room < 0 && end > from {
			break
		}
		d.Lines = append(d.Lines, one)
	}
	d.Pager = pagerOf(r, chosen.count, from, end)
	return &page.View{Title: a.Name, Command: "loam sl show -c " + text.ShellWord(string(id)) + " " + text.ShellWord(r.Path("source")) + " --json", Data: d}, nil
}

// facts are what the rows of a source are.
func facts(a *semanticquery.SourceAnswer) (all []page.Pair) {
	add := func(name, value string) {
		if value != "" {
			all = append(all, page.Pair{Name: name, Value: brief(value, 2*roomLine)})
		}
	}
	file := a.File
	if file != "" && a.Line > 0 {
		file += ":" + number(a.Line)
	}
	if file == "" && a.Name != binding.MetricsName {
		file = "only scanned, no file defines it"
	}
	add("Table", a.Table)
	add("File", file)
	add("One row per", strings.Join(a.PrimaryKey, ", "))
	for _, key := range a.UniqueKeys {
		add("Unique", strings.Join(key, ", "))
	}
	if a.DefaultTimeDimension != nil {
		add("Time ranges mean", *a.DefaultTimeDimension)
		add("Times are in", a.TimeZone)
	}
	if a.AIContext != nil {
		add("Also called", strings.Join(a.AIContext.Synonyms, ", "))
		add("Examples", strings.Join(a.AIContext.Examples, "; "))
	}
	if a.Internal {
		add("Visibility", "internal: by its full name only")
	}
	var names []string
	for _, r := range a.Reachable {
		name := r.Reference
		if name == "" {
			name = r.Source + " via " + strings.Join(r.Via, ", ")
		}
		if r.Inferred {
			name += " (inferred)"
		}
		names = append(names, name)
	}
	reach := strings.Join(names, ", ")
	if a.ReachableTruncated {
		reach += ", …"
	}
	add("By dimensions of", reach)
	return all
}

func conflictsOf(d change.Disputed) (all []conflict) {
	for i := range d.Conflicts[:min(len(d.Conflicts), listedConflicts)] {
		c := &d.Conflicts[i]
		all = append(all, conflict{By: brief(c.By, roomName), At: c.At.UTC().Format("2006-01-02"), Says: brief(c.Says, roomLine), Change: string(c.Change)})
	}
	return all
}

// part is one list of a source.
type part struct {
	name  string
	count int
	at    func(i int) line
}

func partsOf(a *semanticquery.SourceAnswer) []part {
	return []part{
		{"measures", len(a.Measures), func(i int) line {
			m := &a.Measures[i]
			l := lineOf(m.Name, m.Meaning(), &m.Described)
			l.Unit = brief(strings.TrimSpace(m.Unit+" "+m.Format), roomName)
			if name := semanticquery.MemberName(a.Qualifier, m.Name); len(name) <= linkedName {
				l.Link = page.Link("measure", string(a.Connection), name)
			}
			return l
		}},
		{"dimensions", len(a.Dimensions), func(i int) line {
			d := &a.Dimensions[i]
			is := d.Type
			if d.Expr != "" {
				is += " = " + d.Expr
			}
			if len(d.Values) > 0 {
				is += ": " + strings.Join(d.Values[:min(len(d.Values), 20)], ", ")
			}
			l := lineOf(d.Name, is, &d.Described)
			l.Unit = brief(strings.TrimSpace(d.Unit+" "+d.Format), roomName)
			return l
		}},
		{"segments", len(a.Segments), func(i int) line { return lineOf(a.Segments[i].Name, a.Segments[i].Expr, &a.Segments[i].Described) }},
		{"joins", len(a.Joins), func(i int) line { return joinLine(a.Connection, &a.Joins[i]) }},
		{"origins", len(a.Origins), func(i int) line { return originLine(&a.Origins[i]) }},
	}
}

// lineOf is a member of a source.
func lineOf(name, is string, d *semanticquery.Described) line {
	about := strings.TrimSpace(d.Label + " " + d.Description)
	if len(d.Synonyms) > 0 {
		about = strings.TrimSpace(about + " also: " + strings.Join(d.Synonyms, ", "))
	}
	if d.Internal {
		about = strings.TrimSpace(about + " (internal)")
	}
	return line{
		Name: brief(name, roomName), Is: brief(is, roomLine), About: brief(about, roomLine), Broken: brief(d.Broken, roomLine), Trust: string(d.Trust), Flags: d.Flags,
	}
}

func joinLine(id connection.ID, j *semanticquery.Join) line {
	l := line{Name: brief(j.Name, roomName), Is: brief(strings.ReplaceAll(j.Relationship, "_", " ")+" on "+j.On, roomLine), About: brief(j.Description, roomLine), Broken: brief(j.Broken, roomLine)}
	if j.To != "" && len(j.To) <= linkedName {
		l.Link = page.Link("semantic", string(id), j.To)
	}
	if j.Inferred {
		l.Flags = append(l.Flags, "inferred")
	}
	if j.Reversed {
		l.About = strings.TrimSpace(l.About + " (declared there)")
	}
	return l
}

func originLine(o *semanticquery.Origin) line {
	l := line{Name: brief(strings.TrimSpace(o.Kind+" "+o.Name), roomName), Is: o.Layer, File: placed(o.Place)}
	for i, h := range o.Hides {
		if i > 0 {
			l.About += ", "
		}
		l.About += "hides " + placed(h)
	}
	l.About = brief(l.About, roomLine)
	return l
}

// placed is a place as file:line.
func placed(p semanticquery.Place) string {
	switch {
	case p.File == "":
		return "the scan"
	case p.Line == 0:
		return brief(p.File, roomLine)
	}
	return brief(fmt.Sprintf("%s:%d", p.File, p.Line), roomLine)
}
