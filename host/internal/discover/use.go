package discover

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/listing"
)

const (
	// useEvery is how long what was used stays as it was read: a page does not change its
	// order within one conversation, and a search costs no look at the history.
	useEvery = time.Minute
	// halfLife is after how many days a use counts half. Days count back from the latest
	// use, not from now: the same history gives the same order at any time.
	halfLife = 7
	// usualDays is on how many days a table is used that is worth half of the most.
	usualDays = 2
)

// use keeps what was used. The zero value is ready.
type use struct {
	mu   sync.Mutex
	read time.Time
	of   *search.Use
}

// used returns how much tables, sources and measures answered lately; nil where that is not
// known. Of who used them and what was asked nothing is in it, and of connections that are
// not open to a caller nothing is searched.
func (s *Service) used(ctx context.Context) *search.Use {
	if s.Uses == nil {
		return nil
	}
	s.use.mu.Lock()
	defer s.use.mu.Unlock()
	now := s.Now()
	if !s.use.read.IsZero() && now.Sub(s.use.read) < useEvery {
		return s.use.of
	}
	s.use.read = now
	// It is read for all callers, whoever comes first.
	all := caller.With(context.WithoutCancel(ctx), &caller.Caller{})
	uses, err := s.Uses(all)
	if err == nil && len(uses) > 0 {
		s.use.of, err = s.weighUses(all, uses)
	} else {
		s.use.of = nil
	}
	if err != nil {
		s.use.of = nil
		s.Logger.DebugContext(ctx, "search ranks without what was used", "error", err)
	}
	return s.use.of
}

// weighUses finds what the uses name.
// Errors: those of the index.
func (s *Service) weighUses(ctx context.Context, uses []history.Use) (*search.Use, error) {
	state, err := s.Index.Current(ctx)
	if err != nil {
		return nil, err
	}
	defer state.Release()
	days := map[search.Used][]int64{}
	readers := map[string]*useReader{}
	latest := int64(math.MinInt64)
	for i := range uses {
		u := &uses[i]
		r, known := readers[u.Connection]
		if !known {
			r = s.useReader(ctx, state, connection.ID(u.Connection))
			readers[u.Connection] = r
		}
		latest = max(latest, u.Day)
		for _, used := range r.named(u) {
			if !slices.Contains(days[used], u.Day) {
				days[used] = append(days[used], u.Day)
			}
		}
	}
	shares := make(map[search.Used]float32, len(days))
	for used, on := range days {
		slices.Sort(on) // a sum of floats depends on the order
		weight := 0.0
		for _, day := range on {
			weight += math.Exp2(-float64(latest-day) / halfLife)
		}
		shares[used] = float32(weight / (weight + usualDays))
	}
	return search.NewUse(shares), nil
}

// useReader finds what the calls on a connection name.
type useReader struct {
	connection string
	files      *listing.Listing // nil = none
	// tables has a nil snapshot before the first scan, and a nil dialect while it is unknown.
	tables reading
	// statements are those that were read, which are asked on many days.
	statements map[string][]search.Used
}

func (s *Service) useReader(ctx context.Context, state *indexer.State, id connection.ID) *useReader {
	r := &useReader{connection: string(id), files: state.Semantic[id].Listing, statements: map[string][]search.Used{}}
	r.tables = reading{snapshot: state.Snapshots[id], found: map[string]lookup{}}
	if c, err := s.Warehouses.Get(ctx, id); err == nil {
		r.tables.dialect = s.dialect(ctx, c)
	}
	return r
}

// named returns what a use names that is there: the tables of a statement; of a request
// the measures, their sources and the tables of these.
func (r *useReader) named(u *history.Use) (all []search.Used) {
	if u.SQL != "" {
		known, ok := r.statements[u.SQL]
		if !ok {
			known = r.ofStatement(u.SQL)
			r.statements[u.SQL] = known
		}
		return known
	}
	for _, member := range u.Members {
		source, name := cutMember(member)
		if r.files == nil || r.files.Entry(source) == nil {
			all = r.table(all, source)
			continue
		}
		// A dimension is looked for among the measures as well, and not found.
		all = append(all, search.Used{Kind: search.Measure, Connection: r.connection, ID: member, Name: name})
		if source != "" {
			s := r.files.Entry(source).Source()
			all = append(all, search.Used{Kind: search.Source, Connection: r.connection, ID: source, Name: s.Name})
			all = r.table(all, s.Table)
		}
	}
	return all
}

func (r *useReader) ofStatement(sql string) (all []search.Used) {
	if r.tables.snapshot == nil || r.tables.dialect == nil {
		return nil
	}
	tokens, err := r.tables.dialect.Tokens(sql, nil)
	if err != nil {
		return nil
	}
	r.tables.sql, r.tables.tokens = sql, tokens
	positions, _, _ := r.tables.tables()
	for _, position := range positions {
		all = append(all, r.at(position))
	}
	return all
}

// table adds the table of a name, if there is one.
func (r *useReader) table(to []search.Used, name string) []search.Used {
	if name == "" || r.tables.snapshot == nil {
		return to
	}
	if position, err := r.tables.find(name); err == nil {
		to = append(to, r.at(position))
	}
	return to
}

func (r *useReader) at(position int) search.Used {
	e := r.tables.snapshot.Entry(position)
	return search.Used{Kind: search.Table, Connection: r.connection, ID: catalog.Display(e.TableRef), Name: e.Name}
}
