package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Fact is a statement of a wiki page, or a learned measure or segment.
type Fact struct {
	Subject   string `json:"subject"`
	Attribute string `json:"attribute"` // definition, formula, unit, …; "learned" of the semantic layer
	Says      string `json:"says"`
	// Path and Line are the place in a page; "" for the semantic layer.
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
	// Connection of a member of the semantic layer.
	Connection string `json:"connectionId,omitempty"`
	Trust      string `json:"trust"`
	// ValidFrom and ValidTo bound its validity; ValidTo is the first day after.
	ValidFrom *time.Time `json:"validFrom,omitempty"`
	ValidTo   *time.Time `json:"validTo,omitempty"`
	// Conflicts are the places of contradicting facts: "wiki/global/churn.md:12".
	Conflicts []string `json:"conflicts"`
	// Stale lists the reasons why it may be outdated.
	Stale []string `json:"stale"`

	statement *assertion.Statement
	about     []string // the connections of its page; nil = any
}

// Place returns the place of a fact for people.
func (f *Fact) Place() string {
	if f.Path == "" {
		return f.Connection
	}
	return fmt.Sprintf("%s:%d", f.Path, f.Line)
}

// FactsRequest chooses facts; the zero value chooses all.
type FactsRequest struct {
	// Words are all contained in what a fact says or is about, in whatever case.
	Words []string
}

// Facts lists the statements of pages and the learned members of semantic layers, in the order of the
// pages.
// Units: with words, it reads the pages that may have them, and those that may contradict what they state.
// Errors: those of the index and of the wiki.
func (s *Service) Facts(ctx context.Context, r FactsRequest) ([]Fact, error) {
	connections, err := s.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	pages, _, err := s.pages(ctx)
	if err != nil {
		return nil, err
	}
	state, err := s.Index.Current(ctx)
	if err != nil {
		return nil, err
	}
	defer state.Release()
	all, err := s.stated(pages, s.catalogs(ctx, connections.All(), state), &r)
	if err != nil {
		return nil, err
	}
	disputes, err := s.Disputes(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range connections.All() {
		all = append(all, slices.DeleteFunc(s.learnedFacts(c.ID, state, disputes.Unsaid()), func(f Fact) bool { return !r.chooses(&f) })...)
	}
	return all, nil
}

// scannedTables finds the tables of one connection's snapshot.
type scannedTables struct {
	id       string
	snapshot *catalog.Snapshot
	dialect  *dialect.Dialect
}

func (s *Service) catalogs(ctx context.Context, all []connection.Connection, state *indexer.State) (found []scannedTables) {
	for _, c := range all {
		if snapshot := state.Snapshots[c.ID]; snapshot != nil {
			known, _ := s.Warehouses.Of(c).Known(ctx) // a snapshot can be read without the connector
			found = append(found, scannedTables{string(c.ID), snapshot, known.Dialect()})
		}
	}
	return found
}

// has reports whether a reference is a table of the snapshot, or a column of one.
func (t scannedTables) has(ref string) bool {
	if _, err := t.snapshot.Find(t.dialect, ref); sdk.KindOf(err) != sdk.KindNotFound {
		return true
	}
	at := strings.LastIndexByte(ref, '.')
	if at < 0 {
		return false
	}
	i, err := t.snapshot.Find(t.dialect, ref[:at])
	if err != nil {
		return sdk.KindOf(err) != sdk.KindNotFound
	}
	table, err := t.snapshot.At(i)
	return err != nil || slices.ContainsFunc(table.Columns, func(c sdk.Column) bool { return strings.EqualFold(c.Name, ref[at+1:]) })
}

// factsOf are the statements of a page.
func (s *Service) factsOf(p *wiki.Page, catalogs []scannedTables) ([]Fact, error) {
	s.step("facts of " + p.Path)
	body, err := s.Wiki.Body(p)
	if err != nil {
		return nil, err
	}
	doc := assertion.Read(body, assertion.Options{Asked: true})
	if len(doc.Statements) == 0 {
		return nil, nil
	}
	path := "wiki/" + p.Path
	file, err := s.Engine.Read(path)
	if err != nil {
		return nil, err
	}
	first := strings.Count(string(file), "\n") - strings.Count(body, "\n") + 1
	gone := goneRefs(p, catalogs)
	var all []Fact
	for i := range doc.Statements {
		st := &doc.Statements[i]
		f := Fact{
			Subject: st.Subject, Attribute: string(st.Attribute), Says: strings.Join(strings.Fields(doc.Text[st.From:st.To]), " "),
			Path: path, Line: first + strings.Count(doc.Text[:st.From], "\n"), Trust: p.Trust(), Conflicts: []string{}, Stale: []string{}, statement: st, about: p.Connections,
		}
		if !st.ValidFrom.IsZero() {
			f.ValidFrom = &st.ValidFrom
		}
		if !st.ValidTo.IsZero() {
			f.ValidTo = &st.ValidTo
			if !st.ValidTo.After(s.Now()) {
				f.Stale = append(f.Stale, "it held until "+st.ValidTo.AddDate(0, 0, -1).Format(time.DateOnly))
			}
		}
		for _, ref := range gone {
			if strings.Contains(strings.ToLower(f.Says), strings.ToLower(ref[strings.LastIndexByte(ref, '.')+1:])) {
				f.Stale = append(f.Stale, ref+" is not in the newest snapshot")
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// goneRefs are the refs of a page that the snapshots of its connections do not have. Those of
// connections that were never scanned are not known.
func goneRefs(p *wiki.Page, catalogs []scannedTables) (gone []string) {
	about := slices.DeleteFunc(slices.Clone(catalogs), func(t scannedTables) bool {
		return len(p.Connections) > 0 && !slices.Contains(p.Connections, t.id)
	})
	if len(about) == 0 {
		return nil
	}
	for _, ref := range p.Refs {
		if !slices.ContainsFunc(about, func(t scannedTables) bool { return t.has(ref) }) {
			gone = append(gone, ref)
		}
	}
	return gone
}

// oppose adds to each fact the places that contradict it. What pages say about other connections
// does not.
func oppose(all []Fact) {
	groups := map[string][]int{}
	for i := range all {
		st := all[i].statement
		key := cmp.Or(assertion.Key(st.Subject, st.Language), strings.ToLower(st.Subject))
		groups[key] = append(groups[key], i)
	}
	for _, of := range groups {
		for n, i := range of {
			for _, j := range of[:n] {
				if _, ok := assertion.Contradicts(*all[i].statement, *all[j].statement); ok && together(all[i].about, all[j].about) {
					all[i].Conflicts, all[j].Conflicts = append(all[i].Conflicts, all[j].Place()), append(all[j].Conflicts, all[i].Place())
				}
			}
		}
	}
}

// together reports whether pages can be about the same connection.
func together(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(id string) bool { return slices.Contains(b, id) })
}

// learnedFacts are the measures and segments of a connection that Loam wrote; unsaid are those whose source says them no
// more.
func (s *Service) learnedFacts(id connection.ID, state *indexer.State, unsaid *change.Disputes) (all []Fact) {
	offered := state.Semantic[id].Listing
	if offered == nil {
		return nil
	}
	for e := range offered.Entries() {
		source := e.Source()
		for _, m := range slices.Concat(source.Measures, source.Segments) {
			if m.Learned == nil {
				continue
			}
			name := m.Name
			if e.ID != "" {
				name = e.ID + "." + name
			}
			f := Fact{
				Subject: name, Attribute: "learned", Says: cmp.Or(m.Expr, m.Description), Connection: string(id), Trust: string(m.Trust),
				Conflicts: []string{}, Stale: []string{},
			}
			for _, gone := range state.Lost(id, e, m.Name) {
				f.Stale = append(f.Stale, gone+" is not in the newest snapshot")
			}
			if m.Verified.Stale(s.Now()) {
				f.Stale = append(f.Stale, "it was tried last at "+m.Verified.At)
			}
			for _, d := range unsaid.OfMember(string(id), source.Targets(name, m.Name)...) {
				f.Stale = append(f.Stale, d.By+" does not say it any more")
			}
			all = append(all, f)
		}
	}
	return all
}
