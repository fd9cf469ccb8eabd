package layer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// queries are the queries of a connection's sources whose columns are known. They are
// kept in a file beside the parsed files, for the snapshot that they were described at.
// Concurrency: any number of goroutines and processes.
type queries struct {
	mu   sync.Mutex
	seen file.Seen
	raw  []byte // of the file as it was last read or written
	keptQueries
}

// keptQueries is the file. Snapshot is the content of the catalogue; "" = none.
type keptQueries struct {
	Format   int            `json:"format"`
	Snapshot string         `json:"snapshot"`
	Queries  []*model.Query `json:"queries"`
}

const (
	queryFormat = 1
	// patience is how long another process may take to write the file.
	patience = 5 * time.Second
)

func (l *Layer) queryPath(id connection.ID) string {
	return filepath.Join(l.Cache, string(id)+".queries.json")
}

// of returns the queries that were described at a snapshot.
// Shape: the same slice for as long as none changes, and the same pointer to each that
// does not; it must not be changed.
func (q *queries) of(path, snapshot string) []*model.Query {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.read(path)
	if q.Snapshot != snapshot {
		return nil
	}
	return q.Queries
}

// read brings what is known up to the file. One that cannot be understood is as none:
// the engine is asked again.
func (q *queries) read(path string) {
	info, err := os.Stat(path)
	if err != nil || q.seen.Same(info) {
		return // without a file, what this process was told stays
	}
	at := time.Now()
	raw, err := os.ReadFile(path)
	if err != nil {
		return
	}
	q.seen = file.SeenAt(info, at)
	if bytes.Equal(raw, q.raw) {
		return
	}
	var now keptQueries
	if err := json.Unmarshal(raw, &now); err != nil || now.Format != queryFormat {
		now = keptQueries{}
	}
	known := byText(q.Queries)
	for i, one := range now.Queries {
		if before := known[one.SQL]; before != nil && sameColumns(before, one) {
			now.Queries[i] = before
		}
	}
	q.raw, q.keptQueries = raw, now
}

// sameColumns reports whether two queries have the same columns, of which a query knows
// names and types alone.
func sameColumns(a, b *model.Query) bool {
	return slices.EqualFunc(a.Columns, b.Columns, func(x, y model.Column) bool { return x.Name == y.Name && x.Type == y.Type })
}

func byText(all []*model.Query) map[string]*model.Query {
	by := make(map[string]*model.Query, len(all))
	for _, one := range all {
		by[one.SQL] = one
	}
	return by
}

// Learn stores the columns that an engine reported for the queries of a state's
// sources, for every process, until the snapshot changes. Columns of queries without a
// source are deleted.
// Errors: those of ctx. Columns that cannot be written are known to this process only.
func (l *Layer) Learn(ctx context.Context, id connection.ID, s *State, found []*model.Query) error {
	if err := id.Validate(); err != nil || len(found) == 0 {
		return err
	}
	q := &l.site(id).queries
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.learn(ctx, l, id, s, found)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		l.Logger.Warn("the columns of queries cannot be kept: the next start asks for them again", "connection", id, "error", err)
	}
	return nil
}

func (q *queries) learn(ctx context.Context, l *Layer, id connection.ID, s *State, found []*model.Query) error {
	path := l.queryPath(id)
	if err := os.MkdirAll(l.Cache, 0o755); err != nil {
		q.add(s, found)
		return err
	}
	unlock, err := file.Wait(ctx, filepath.Join(l.Cache, "lock"), patience)
	if err != nil || unlock == nil {
		q.add(s, found)
		return errors.Join(err, errors.New("another process has the lock"))
	}
	q.read(path) // what another process learned meanwhile
	q.add(s, found)
	raw, err := json.Marshal(q.keptQueries)
	if err == nil {
		err = file.Replace(path, raw, 0o644)
	}
	q.raw, q.seen = raw, file.Seen{}
	return errors.Join(err, unlock())
}

// add adds queries to those of a state's snapshot that its sources still have.
func (q *queries) add(s *State, found []*model.Query) {
	used, fresh := map[string]bool{}, byText(found)
	for one := range s.Model.Outlines() {
		used[one.SQL] = true
	}
	next := keptQueries{Format: queryFormat, Snapshot: s.snapshot()}
	if q.Snapshot == next.Snapshot {
		for _, one := range q.Queries {
			if now := fresh[one.SQL]; now == nil && used[one.SQL] || now != nil && sameColumns(now, one) {
				next.Queries = append(next.Queries, one)
				delete(fresh, one.SQL)
			}
		}
	}
	for _, one := range found {
		if fresh[one.SQL] != nil {
			next.Queries = append(next.Queries, one)
			delete(fresh, one.SQL)
		}
	}
	if !slices.Equal(next.Queries, q.Queries) || next.Snapshot != q.Snapshot {
		q.keptQueries = next
	}
}

// snapshot is the content of the state's snapshot; "" = it has none.
func (s *State) snapshot() string {
	if s.Snapshot == nil {
		return ""
	}
	return s.Snapshot.Content
}
