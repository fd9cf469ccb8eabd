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

// ofWiki is the wiki's place among the units; no connection has it.
const ofWiki connection.ID = ""

// sight is what a look found. It never changes.
type sight struct {
	round int64
	units map[connection.ID]*unit
	notes []string // what cannot be had, however long one waits
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
	s := &sight{round: x.round.Add(1), units: map[connection.ID]*unit{}}
	registry, err := x.config.Connections(ctx)
	if err != nil {
		return nil, err
	}
	before := x.seen
	if before == nil {
		before = &sight{}
	}
	for _, c := range registry.All() {
		image, err := x.image(c.ID)
		switch {
		case err == nil && before.units[c.ID].of(image, nil):
			s.units[c.ID] = before.units[c.ID]
		case err == nil:
			s.units[c.ID] = x.tables(c.ID, image)
		case sdk.KindOf(err) != sdk.KindNotFound:
			s.notes = append(s.notes, missing(c.ID, err))
		}
	}
	view, err := x.config.Wiki.View(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.notes = append(s.notes, fmt.Sprintf("The wiki's pages are not in this answer: %s.", explain(err)))
		view = noPages
	}
	if s.units[ofWiki] = before.units[ofWiki]; !s.units[ofWiki].of(nil, view) {
		s.units[ofWiki] = x.pages(view)
	}
	for _, note := range s.notes {
		if !slices.Contains(before.notes, note) {
			x.config.Logger.WarnContext(ctx, "a part of the project cannot be searched", "reason", note)
		}
	}
	x.seen = s
	return s, nil
}

// noPages is a wiki that cannot be read.
var noPages = &wiki.View{}

// image returns a connection's last snapshot.
func (x *Indexer) image(id connection.ID) (*catalog.Image, error) {
	image, err := x.config.Catalogs.Of(string(id)).Latest()
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if bad := x.spoilt[id]; bad.image == image {
		return nil, bad.err
	}
	return image, nil
}

// spoilt is a snapshot of which a part turned out to be damaged.
type spoilt struct {
	image *catalog.Image
	err   error
}

// spoil takes a snapshot out until there is another one.
func (x *Indexer) spoil(u *unit, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.spoilt[u.connection] = spoilt{u.image, err}
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
