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
	// useEvery is how long usage is cached: results keep their order within a conversation,
	// and most searches do not read the history.
	useEvery = time.Minute
	// halfLife is the number of days after which a use counts half. Days are counted back from
	// the latest use, not from now: the same history gives the same order at any time.
	halfLife = 7
	// usualDays is the weight, in days of use, that gives half of the largest share.
	usualDays = 2
)

// use caches the usage. The zero value is ready.
type use struct {
	mu   sync.Mutex
	read time.Time
	of   *search.Use
}

// Used returns how much tables, sources and measures were used lately; nil when that is not
// known. It is the same for all callers: it contains neither users nor questions, and a search
// never returns items of connections that its caller may not use.
func (s *Service) Used(ctx context.Context) *search.Use {
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
	// The result serves all callers, so it is read without the restrictions of this one.
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

// weighUses resolves the names of the uses and computes a share for each item.
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

// useReader resolves the names that calls on a connection used.
type useReader struct {
	connection string
	files      *listing.Listing // nil = none
	// tables has a nil snapshot before the first scan, and a nil dialect while it is unknown.
	tables reading
	// statements caches results: the same statement runs on many days.
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

// named returns the existing items that a use names: the tables of a statement, or the
// measures of a request with their sources and tables.
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
		// A dimension becomes a measure that does not exist, which matches no hit.
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
	positions, _ := r.tables.tables()
	for _, position := range positions {
		all = append(all, r.at(position))
	}
	return all
}

// table appends the table with a name, if there is one.
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
