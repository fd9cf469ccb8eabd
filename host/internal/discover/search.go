package discover

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/sdk"
)

const (
	defaultPage = 15
	// maxQuestion is the longest query, in bytes.
	maxQuestion = 1024
)

// SearchRequest is a full-text search of the project.
type SearchRequest struct {
	Query      string
	Connection connection.ID // "" = all
	Kinds      []string      // names of search.Kind; none = all except file and notes
	Limit      int           // 0 or less = 15
}

// SearchAnswer is a page of references, best first.
type SearchAnswer struct {
	Refs []Ref `json:"refs"`
	// Notes say which parts of the project are missing from the answer or out of date.
	Notes []string `json:"notes,omitempty"`
}

// Search searches tables, columns, the semantic layer and the wiki, and the collected files and the
// notes if Kinds names file, checkpoint or remediation. It reads only what the caller of ctx may see.
// Errors: KindInvalid for an unknown kind and for a query of more than 1,024 bytes,
// KindNotFound for an unknown connection, KindUnavailable for one whose catalog is damaged;
// those of the index.
func (s *Service) Search(ctx context.Context, r SearchRequest) (*SearchAnswer, error) {
	kinds, err := kindsOf(r.Kinds)
	if err != nil {
		return nil, err
	}
	connections, err := s.asked(ctx, r.Connection)
	if err != nil {
		return nil, err
	}
	if len(r.Query) > maxQuestion {
		return nil, tooLong(r.Query)
	}
	q := search.Query{Text: r.Query, Kinds: kinds, Connections: filter(ctx, r.Connection, connections), Limit: cmp.Or(max(0, r.Limit), defaultPage)}
	var parts []part
	if q.Kinds = slices.DeleteFunc(slices.Clone(kinds), isElsewhere); len(q.Kinds) > 0 || len(kinds) == 0 {
		p, err := s.searchProject(ctx, r.Connection, connections, q)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	for _, e := range elsewhere {
		if !slices.Contains(kinds, e.kind) {
			continue
		}
		p, err := e.search(s, ctx, q)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return merged(ctx, q, parts), nil
}

// elsewhere are the kinds that have an index of their own, which is asked only for them.
var elsewhere = []struct {
	kind   search.Kind
	search func(*Service, context.Context, search.Query) (part, error)
}{
	{search.File, (*Service).searchFiles},
	{search.Checkpoint, (*Service).searchCheckpoints},
	{search.Remediation, (*Service).searchRemediations},
}

func isElsewhere(k search.Kind) bool { return k >= search.File }

// part is the answer of one index, with the hits that it was made of.
type part struct {
	SearchAnswer
	found search.Result
}

// merged merges answers by score; of equal scores those of the first part come first.
func merged(ctx context.Context, q search.Query, parts []part) *SearchAnswer {
	a, found := &parts[0].SearchAnswer, parts[0].found
	for _, p := range parts[1:] {
		a.Refs = slices.Concat(a.Refs, p.Refs)
		slices.SortStableFunc(a.Refs, func(x, y Ref) int { return cmp.Compare(y.Score, x.Score) })
		a.Refs = a.Refs[:min(q.Limit, len(a.Refs))]
		for _, n := range p.Notes {
			if !slices.Contains(a.Notes, n) {
				a.Notes = append(a.Notes, n)
			}
		}
		found.Hits = slices.Concat(found.Hits, p.found.Hits)
		found.Unknown = slices.DeleteFunc(slices.Clone(found.Unknown), func(word string) bool { return !slices.Contains(p.found.Unknown, word) })
	}
	a.Notes = append(a.Notes, missed(ctx, q.Text, found)...)
	return a
}

// searchProject searches the index of tables, the semantic layer and the wiki.
func (s *Service) searchProject(ctx context.Context, id connection.ID, connections []connection.Connection, q search.Query) (p part, err error) {
	state, err := s.open(ctx)
	if err != nil {
		return p, err
	}
	defer state.Release()
	if err := s.readable(state, id); err != nil {
		return p, err
	}
	trust, err := s.trust(ctx, state)
	if err != nil {
		return p, err
	}
	q.Use, q.Worth = s.Used(ctx), trust.worth
	b := refBuilder{service: s, state: state, trust: trust}
	heads, err := b.page(ctx, q, &p.found)
	if err != nil {
		return p, err
	}
	p.Refs = make([]Ref, len(heads))
	for i, h := range heads {
		if p.Refs[i], err = b.ref(ctx, h.hit); err != nil {
			return p, err
		}
		p.Refs[i].Copies = h.copies
	}
	if wants(q.Kinds, search.Table, search.Column) {
		p.Notes = s.neverScanned(state, connections)
	}
	if wants(q.Kinds, search.Source, search.Measure, search.Dimension) {
		p.Notes = append(p.Notes, brokenSources(state, connections)...)
	}
	if wants(q.Kinds, search.Wiki) {
		p.Notes = append(p.Notes, broken(state)...)
	}
	p.Notes = slices.Concat(p.Notes, state.Notes, b.notes)
	return p, nil
}

// wants reports whether kinds contains one of some; an empty kinds contains all.
func wants(kinds []search.Kind, some ...search.Kind) bool {
	return len(kinds) == 0 || slices.ContainsFunc(some, func(k search.Kind) bool { return slices.Contains(kinds, k) })
}

// current returns the current state for the caller of ctx; a query that is too long is KindInvalid.
func (s *Service) current(ctx context.Context, question string) (*indexer.State, error) {
	if len(question) > maxQuestion {
		return nil, tooLong(question)
	}
	return s.open(ctx)
}

func tooLong(question string) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the query has %d bytes; the limit is %d", len(question), maxQuestion).
		WithHint("ask with the few words that matter")
}

// kindsOf parses the names of kinds.
func kindsOf(names []string) ([]search.Kind, error) {
	var wanted []search.Kind
	for _, name := range names {
		all := search.Kinds()
		at := slices.IndexFunc(all, func(k search.Kind) bool { return k.String() == name })
		if at < 0 {
			e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no kind %q of things to find", brief(name))
			for _, k := range all {
				e.Candidates = append(e.Candidates, k.String())
			}
			return nil, e.WithHint("choose from %s", strings.Join(e.Candidates, ", "))
		}
		wanted = append(wanted, all[at])
	}
	return wanted, nil
}

// missed returns notes: the words that the index does not contain, and advice when there are
// no hits.
func missed(ctx context.Context, question string, r search.Result) (notes []string) {
	// The index also contains words of pages that the caller may not see: a list of unknown
	// words would reveal by omission that such a page has one.
	if len(r.Unknown) > 0 && !caller.Of(ctx).Narrows() {
		quoted := make([]string, len(r.Unknown))
		for i, word := range r.Unknown {
			quoted[i] = fmt.Sprintf("%q", word)
		}
		notes = append(notes, "No name or text has "+strings.Join(quoted, ", ")+".")
	}
	switch {
	case len(r.Hits) > 0:
	case strings.TrimSpace(question) == "":
		notes = append(notes, "The query has no words: ask for the things or terms that you look for.")
	default:
		notes = append(notes, "Nothing was found: ask with another word for it, with a part of its name, or in all kinds and connections.")
	}
	return notes
}
