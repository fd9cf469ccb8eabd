package semantic

import (
	"context"
	"strconv"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/text"
)

// The sizes of the page of a connection.
const (
	listedSources  = 50
	listedMetrics  = 20
	listedProblems = 20
	listedNotes    = 5
)

type sourcesData struct {
	Connection string `json:"connectionId"`
	Sources    []line `json:"sources"`
	// Metrics are the first measures of no source; TotalMetrics counts those that the filter chooses.
	Metrics      []line        `json:"metrics,omitempty"`
	TotalMetrics int           `json:"totalMetrics"`
	Problems     []problem     `json:"problems,omitempty"`
	MoreProblems int           `json:"moreProblems,omitempty"`
	Notes        []string      `json:"notes,omitempty"`
	Filters      []page.Filter `json:"-"`
	Pager        page.Pager    `json:"pager"`
	Files        int           `json:"files"`
}

// line is an entry of a list: a source, a metric or a member.
type line struct {
	Name string `json:"name"`
	// Link is the address of its page, "" = it has none.
	Link string `json:"-"`
	// Is says what it is: the table, the kind, the definition.
	Is    string `json:"is,omitempty"`
	About string `json:"about,omitempty"`
	File  string `json:"file,omitempty"`
	Unit  string `json:"unit,omitempty"`

	Trust  string   `json:"trust,omitempty"`
	Flags  []string `json:"flags,omitempty"`
	Broken string   `json:"broken,omitempty"`

	Measures   int `json:"measures,omitempty"`
	Dimensions int `json:"dimensions,omitempty"`
	Segments   int `json:"segments,omitempty"`
	Joins      int `json:"joins,omitempty"`
	// Unreviewed counts members that were learned and that no person reviewed.
	Unreviewed int `json:"unreviewed,omitempty"`
}

// problem is a fault of a file.
type problem struct {
	Severity   string   `json:"severity"`
	Place      string   `json:"place"`
	Text       string   `json:"text"`
	Candidates []string `json:"candidates,omitempty"`
}

// sources lists the sources of a connection.
func (p *pages) sources(ctx context.Context, r *page.Request) (*page.View, error) {
	id := connection.ID(r.Path("connection"))
	all := r.Param("from") == "all"
	list, err := p.Semantic.Listings(ctx, semanticquery.ListingsRequest{
		Connection: id, Text: r.Param("q"), All: all, Limit: listedSources, Cursor: r.Param("cursor"),
	})
	if err != nil {
		return nil, err
	}
	overview, err := p.Semantic.Overview(ctx, id, listedProblems)
	if err != nil {
		return nil, err
	}
	d := &sourcesData{Connection: string(id), Sources: []line{}, Files: overview.Files, MoreProblems: overview.TotalProblems - len(overview.Problems)}
	for _, one := range list.Connections {
		for i := range one.Sources {
			d.Sources = append(d.Sources, sourceLine(id, &one.Sources[i]))
		}
		d.TotalMetrics += len(one.Metrics)
		for i := range one.Metrics[:min(len(one.Metrics), listedMetrics)] {
			d.Metrics = append(d.Metrics, metricLine(id, &one.Metrics[i]))
		}
	}
	d.Problems = problemsOf(overview.Problems)
	d.Notes, _ = briefAll(overview.Notes, listedNotes, roomLine)
	d.Pager = page.Pager{Total: list.Total, Shown: len(d.Sources), Cursor: r.Param("cursor")}
	if list.NextCursor != nil {
		d.Pager.Next = *list.NextCursor
	}
	d.Filters = []page.Filter{
		{Name: "q", Label: "Name, description or member", Value: r.Param("q")},
		{Name: "from", Label: "Sources", Choices: []page.Choice{
			{Value: "", Label: "with a file", Count: overview.Defined, Now: !all}, {Value: "all", Label: "all, scanned ones too", Count: overview.Sources, Now: all},
		}},
	}
	command := "loam sl list -c " + text.ShellWord(string(id))
	if all {
		command += " --all"
	}
	return &page.View{Title: "Semantic layer of " + string(id), Command: command + " --json", Data: d}, nil
}

func sourceLine(id connection.ID, s *semanticquery.SourceLine) line {
	out := line{
		Name: brief(s.Identity, roomName), Is: brief(s.Table, roomName), File: brief(s.File, roomLine), Broken: brief(s.Broken, roomLine),
		Measures: s.Measures, Dimensions: s.Dimensions, Segments: s.Segments, Joins: s.Joins,
	}
	out.Trust, out.Unreviewed = s.Layer, s.Unreviewed
	if len(s.Identity) <= linkedName {
		out.Link = page.Link("semantic", string(id), s.Identity)
	}
	if s.Description != nil {
		out.About = brief(*s.Description, roomLine)
	}
	return out
}

func metricLine(id connection.ID, m *semanticquery.SourceMetric) line {
	out := line{Name: brief(m.Name, roomName), Is: m.Kind, Broken: brief(m.Broken, roomLine)}
	if m.Unreviewed {
		out.Flags = append(out.Flags, "unreviewed")
	}
	if len(m.Name) <= linkedName {
		out.Link = page.Link("measure", string(id), semanticquery.MemberName("", m.Name))
	}
	if m.Description != nil {
		out.About = brief(*m.Description, roomLine)
	}
	return out
}

func problemsOf(all []binding.Problem) (out []problem) {
	for i := range all {
		b := &all[i]
		one := problem{Severity: string(b.Severity), Place: brief(b.Place(), roomLine), Text: brief(b.Text(), 2*roomLine)}
		one.Candidates, _ = briefAll(b.Candidates, 3, roomName)
		out = append(out, one)
	}
	return out
}

func number(n int) string { return strconv.Itoa(n) }
