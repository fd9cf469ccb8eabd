package assemble

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/tokens"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// leastConvention is less than the tokens of any convention. Sources are read until there are more than fit.
const leastConvention = 10

// The kinds of conventions. Those of pages are their tags.
const (
	kindConvention  = "convention"
	kindRule        = "business_rule"
	kindSegment     = "segment"
	kindUnit        = "unit"
	kindEnumeration = "enumeration"
)

// openDomain begins the first answer: the description, areas, conventions, the glossary and approved queries within
// their share of the budget. words = the glossary alone.
// Errors: those of Config.Approved.
func (w *writer) openDomain(ctx context.Context, words bool) error {
	terms := w.view.terms()
	glossary := sectionOf(glossaryList, terms, &w.answer.Glossary)
	if words {
		w.domain = []*section{glossary}
		glossary.fill(w.account, w.account.left)
		return nil
	}
	queries, err := w.view.approved(ctx)
	if err != nil {
		return err
	}
	d := &DomainSummary{}
	w.summary = d
	areas := sectionOf("areas", w.view.areas(), &d.Areas)
	conventions := sectionOf("conventions", w.view.conventions(), &d.Conventions)
	approved := sectionOf("approvedQueries", queries, &w.answer.ApprovedQueries)
	w.domain = []*section{conventions, glossary, areas, approved}

	share := w.account.left / domainShare
	if w.view.request.Depth == Domain {
		share = w.account.left
	}
	until := w.account.left - share // of the account
	w.account.left -= seam + tokens.Estimate(`,"domain":{}`)
	w.describe(until)
	room := func() int { return w.account.left - until }
	areas.fill(w.account, room()/4)
	conventions.fill(w.account, room()/2)
	glossary.fill(w.account, room())
	for _, s := range w.domain {
		s.fill(w.account, room())
	}
	return nil
}

// describe adds the descriptions of the connections, which are in the project's file.
func (w *writer) describe(until int) {
	var all []string
	for _, c := range w.view.connections {
		text := clip(cmp.Or(c.Description, c.DisplayName), maxText)
		if text == "" {
			continue
		}
		if len(w.view.connections) > 1 {
			text = string(c.ID) + ": " + text
		}
		all = append(all, text)
	}
	for i := range all {
		text := strings.Join(all[:len(all)-i], "; ")
		if cost := seam + tokens.Estimate(`"description":`+encode(text)+`,`); w.account.left-cost >= until {
			w.summary.Description = text
			w.account.left -= cost
			w.unsaid = i > 0
			return
		}
	}
	w.unsaid = len(all) > 0
}

// approved returns the approved queries of the asked connections.
func (v *view) approved(ctx context.Context) ([]ApprovedQuery, error) {
	if v.service.Approved == nil {
		return nil, nil
	}
	all, err := v.service.Approved(ctx)
	return slices.DeleteFunc(slices.Clone(all), func(q ApprovedQuery) bool {
		return !slices.ContainsFunc(v.connections, func(c connection.Connection) bool { return c.ID == q.ConnectionID })
	}), err
}

// areas returns the schemas of the scanned connections, or those of the named tables, those with the most tables first.
func (v *view) areas() (all []Area) {
	for _, o := range v.outlines {
		schemas := o.schemas
		if len(v.request.Tables) > 0 {
			schemas = map[schema]int{}
			for _, at := range v.order {
				e := o.snapshot.Entry(int(at))
				schemas[schema{e.Catalog, e.Schema}]++
			}
		}
		for at, n := range schemas {
			name := cmp.Or(nameOf(at.catalog, at.name), string(o.id))
			if len(v.outlines) > 1 && name != string(o.id) {
				name = string(o.id) + "." + name
			}
			all = append(all, Area{name, n})
		}
	}
	slices.SortFunc(all, func(a, b Area) int {
		return cmp.Or(cmp.Compare(b.Tables, a.Tables), strings.Compare(a.Name, b.Name))
	})
	return all
}

// nameOf returns the name of a schema; "" where the engine has none.
func nameOf(inCatalog, schema string) string {
	if inCatalog == "" && schema == "" {
		return ""
	}
	return catalog.Display(sdk.TableRef{Schema: inCatalog, Name: cmp.Or(schema, inCatalog)})
}

// factOf returns the tag of a page that is a fact for every question; "" = it has none.
func factOf(p *wiki.Page) string {
	for _, kind := range []string{kindConvention, kindRule} {
		if slices.Contains(p.Tags, kind) {
			return kind
		}
	}
	return ""
}

// conventions returns the facts of pages, then the segments, enumerations and units of sources, of each those of the
// tables that are listed first before others.
func (v *view) conventions() (all []Convention) {
	for _, p := range v.sortedPages(func(p *wiki.Page) bool { return factOf(p) != "" }) {
		all = append(all, Convention{Kind: factOf(p), Statement: statementOf(p), Ref: p.Key, Trust: p.Trust()})
	}
	for i, o := range v.outlines {
		saying := o.saying
		if i == 0 && v.order != nil {
			places := make(map[int32]int, len(v.order))
			for n, at := range v.order {
				places[at] = n
			}
			place := func(e *listing.Entry) int {
				if at, ok := o.places[e]; ok {
					if n, listed := places[at]; listed {
						return n
					}
				}
				return len(places)
			}
			saying = slices.Clone(saying)
			slices.SortStableFunc(saying, func(a, b *listing.Entry) int { return cmp.Compare(place(a), place(b)) })
		}
		for _, e := range saying {
			if all = append(all, conventionsOf(e)...); len(all) > v.request.Budget/leastConvention {
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Convention) int {
		return cmp.Compare(slices.Index(conventionOrder, a.Kind), slices.Index(conventionOrder, b.Kind))
	})
	return all
}

// conventionOrder is the kinds that change an answer more often before others; facts of pages come before them.
var conventionOrder = []string{kindSegment, kindEnumeration, kindUnit}

// statementOf returns what a page says in short.
func statementOf(p *wiki.Page) string {
	if p.Summary == "" || strings.HasPrefix(strings.ToLower(p.Summary), strings.ToLower(p.Title)) {
		return clip(cmp.Or(p.Summary, p.Title), maxText)
	}
	return clip(p.Title+": "+p.Summary, maxText)
}

// says reports whether a source has conventions.
func says(s *listing.Source) bool {
	noted := func(m listing.Member) bool { return m.Unit != "" || len(m.Values) > 0 }
	return len(s.Segments) > 0 || slices.ContainsFunc(s.Measures, noted) || slices.ContainsFunc(s.Dimensions, noted)
}

// conventionsOf returns the segments, units and enumerations of a source, or the units of the metrics.
func conventionsOf(e *listing.Entry) (all []Convention) {
	s := e.Source()
	add := func(kind string, m *listing.Member, statement string) {
		ref := m.Name
		if !e.IsMetrics() {
			ref = e.ID + "." + ref
		}
		all = append(all, Convention{Kind: kind, Statement: clip(statement, maxText), Ref: ref, Trust: cmp.Or(string(m.Trust), string(model.Imported))})
	}
	for i := range s.Segments {
		m := &s.Segments[i]
		statement := m.Expr
		if m.Description != "" {
			statement += " -- " + m.Description
		}
		add(kindSegment, m, statement)
	}
	for _, members := range [][]listing.Member{s.Measures, s.Dimensions} {
		for i := range members {
			m := &members[i]
			if m.Unit != "" {
				add(kindUnit, m, "in "+m.Unit)
			}
			if len(m.Values) > 0 {
				add(kindEnumeration, m, "one of "+strings.Join(m.Values, ", "))
			}
		}
	}
	return all
}
