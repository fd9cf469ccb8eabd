// Package indexer keeps what can be searched up to date: it looks which
// snapshots and pages there are, makes the segments that are missing, keeps them
// on disk, and hands out one state of all of them at a time.
package indexer

import (
	"context"
	"log/slog"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// Config is what an Indexer is made of. All fields are required.
type Config struct {
	// Dir is where segments are kept. It may be deleted at any time.
	Dir string
	// Connections returns the configured connections as they are now.
	Connections func(context.Context) (*connection.Registry, error)
	Catalogs    *catalog.Set
	Wiki        *wiki.Wiki
	Logger      *slog.Logger
}

// Indexer hands out states. Several processes may use one folder.
// Concurrency: any number of goroutines.
type Indexer struct{ config Config }

// New returns an indexer; nothing is read before it is asked.
func New(c Config) *Indexer { return &Indexer{config: c} }

// State is one state of the project: its parts belong together.
type State struct {
	Index *search.Index
	// Images are the snapshots that Index was made of. A connection that was
	// never scanned, or whose catalog is damaged, has none.
	Images map[connection.ID]*catalog.Image
	// Pages is the wiki that Index was made of.
	Pages *wiki.View
	// Notes say in sentences where the state is not the latest, or lacks
	// something.
	Notes []string

	release func()
}

// Release gives a state back. It may be called again.
func (s *State) Release() { s.release() }

// Current returns the project as it is now: with the last snapshots and the
// pages as they are on disk. What has to be indexed for it first is waited for,
// but not long; then the state before is returned with a note, while the work
// goes on.
// Errors: KindUnavailable with Retry while there is no earlier state; those of
// Config.Connections and of ctx.
func (x *Indexer) Current(context.Context) (*State, error) {
	return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "not built")
}

// Refresh makes every segment that is missing before it returns. progress may
// be nil.
// Errors: KindDenied when the folder cannot be written; those of ctx.
func (x *Indexer) Refresh(context.Context, func(sdk.Progress)) error {
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "not built")
}

// Close ends the work in the background and closes the segments.
func (x *Indexer) Close() error { return nil }
