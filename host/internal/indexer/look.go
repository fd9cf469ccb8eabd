package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// sight is what a look found. It never changes.
type sight struct {
	round int64
	units map[key]*unit
	notes []note // what cannot be had, however long one waits
}

// note says what an answer lacks, of a connection or of none.
type note struct {
	connection connection.ID
	text       string
}

// look returns what there is. Callers that wait for each other share a look
// which began after they called.
// Shape: a unit is the same for as long as what it is made of is.
func (x *Indexer) look(ctx context.Context) (*sight, error) {
	called := x.round.Load()
	select {
	case x.looking <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-x.looking }()
	if x.seen != nil && x.seen.round > called {
		return x.seen, nil
	}
	s := &sight{round: x.round.Add(1), units: map[key]*unit{}}
	before := x.seen
	if before == nil {
		before = &sight{}
	}
	lookAt := x.lookProject
	if x.config.Files != nil {
		lookAt = x.lookFiles
	}
	if err := lookAt(ctx, s, before); err != nil {
		return nil, err
	}
	for _, note := range s.notes {
		if !slices.Contains(before.notes, note) {
			x.config.Logger.WarnContext(ctx, "a part of the project cannot be searched", "reason", note.text)
		}
	}
	x.seen = s
	return s, nil
}

// lookProject adds the tables and semantic layers of the connections and the wiki to what is seen.
// Errors: those of Config.Connections and of ctx.
func (x *Indexer) lookProject(ctx context.Context, s, before *sight) error {
	registry, err := x.config.Connections(ctx)
	if err != nil {
		return err
	}
	for _, c := range registry.All() {
		x.lookTables(s, before, c.ID)
		if err := x.lookSources(ctx, s, before, c.ID); err != nil {
			return err
		}
	}
	view, err := x.config.Wiki.View(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.notes = append(s.notes, note{"", fmt.Sprintf("The wiki's pages are not in this answer: %s.", explain(err))})
		view = noPages
	}
	if s.units[theWiki] = before.units[theWiki]; !s.units[theWiki].of(nil, view, nil) {
		s.units[theWiki] = x.pages(view)
	}
	return nil
}

// lookFiles adds the collected files to what is seen.
// Errors: those of Config.Files.
func (x *Indexer) lookFiles(ctx context.Context, s, before *sight) error {
	view, err := x.config.Files.View(ctx)
	if err != nil {
		return err
	}
	if s.units[theFiles] = before.units[theFiles]; s.units[theFiles] == nil || s.units[theFiles].texts != view {
		s.units[theFiles] = x.texts(view)
	}
	return nil
}

// lookTables adds a connection's last snapshot to what is seen.
func (x *Indexer) lookTables(s, before *sight, id connection.ID) {
	at := key{kindTables, id}
	snapshot, err := x.snapshot(id)
	switch {
	case err == nil && before.units[at].of(snapshot, nil, nil):
		s.units[at] = before.units[at]
	case err == nil:
		s.units[at] = x.tables(id, snapshot)
	case sdk.KindOf(err) != sdk.KindNotFound:
		s.notes = append(s.notes, note{id, missing(id, err)})
	}
}

// lookSources adds the files of a connection's semantic layer to what is seen,
// if there are any.
// Errors: those of ctx.
func (x *Indexer) lookSources(ctx context.Context, s, before *sight, id connection.ID) error {
	at := key{kindSemantic, id}
	files, err := x.config.Semantic.Files(ctx, id)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.notes = append(s.notes, note{id, fmt.Sprintf("The semantic layer of connection %s is not in this answer: %s.", id, explain(err))})
	case len(files.List) == 0 && len(files.Problems) == 0:
	case before.units[at].of(nil, nil, files):
		s.units[at] = before.units[at]
	default:
		s.units[at] = x.sources(id, files, before.units[at])
	}
	return nil
}

// noPages is a wiki that cannot be read.
var noPages = &wiki.View{}

// snapshot returns a connection's last snapshot.
func (x *Indexer) snapshot(id connection.ID) (*catalog.Snapshot, error) {
	snapshot, err := x.config.Catalogs.Of(string(id)).Latest()
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if bad := x.spoilt[id]; bad.snapshot == snapshot {
		return nil, bad.err
	}
	return snapshot, nil
}

// spoilt is a snapshot of which a part turned out to be damaged.
type spoilt struct {
	snapshot *catalog.Snapshot
	err      error
}

// spoil takes a snapshot out until there is another one.
func (x *Indexer) spoil(u *unit, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.spoilt[u.connection] = spoilt{u.snapshot, err}
}

// missing says why the tables of a connection are not there.
func missing(id connection.ID, err error) string {
	mend := ""
	if errors.Is(err, catalog.ErrDamaged) {
		mend = fmt.Sprintf(" Run loam scan --full %s.", id)
	}
	return fmt.Sprintf("The tables of connection %s are not in this answer: %s.%s", id, explain(err), mend)
}

// explain is what an error says in a sentence.
func explain(err error) string { return sdk.AsError(err, sdk.SourceHost).Msg }
