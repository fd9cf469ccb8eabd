package indexer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

const (
	extension = ".segment"
	lockName  = ".lock" // behind a kind
	// recheck is how often a host looks whether another one is done with what
	// both need.
	recheck = 50 * time.Millisecond
	// unusedFor is how old a segment is that may be removed when this host has no
	// use for it: another one, with other pages, may have made it for itself.
	unusedFor = time.Hour
)

func (x *Indexer) path(name string) string { return filepath.Join(x.config.Dir, name) }

// lock takes the folder for making segments of a kind in it. It gives up waiting
// for another host when enough says so.
// Shape: unlock is nil when it was enough.
// Errors: KindDenied; those of ctx.
func (x *Indexer) lock(ctx context.Context, kind string, enough func() bool) (unlock func() error, err error) {
	for {
		err := os.MkdirAll(x.config.Dir, 0o700)
		if err == nil {
			unlock, err = file.Lock(x.path(kind + lockName))
		}
		if errors.Is(err, fs.ErrNotExist) { // the folder was removed in this moment
			unlock, err = nil, nil
		}
		if err != nil {
			return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the index in %s cannot be written: %w", x.config.Dir, err).
				WithHint("make the folder writable for this user")
		}
		if unlock != nil || enough() {
			return unlock, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(recheck):
		}
	}
}

// exist reports whether the segments of parts have files.
func (x *Indexer) exist(parts []part) bool {
	return !slices.ContainsFunc(parts, func(p part) bool {
		_, err := os.Stat(x.path(p.file))
		return err != nil
	})
}

// clean removes what hosts that were killed have left and the segments that
// nobody needs, of a kind. Whoever calls it has the lock.
func (x *Indexer) clean(kind string, needed map[string]bool) error {
	entries, err := os.ReadDir(x.config.Dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		name := e.Name()
		leftOver := strings.HasPrefix(name, "."+kind)
		segment := strings.HasPrefix(name, kind) && filepath.Ext(name) == extension
		if !leftOver && (!segment || needed[name] || !x.old(e)) {
			continue
		}
		if err := os.Remove(x.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// sweep cleans the folder once, of what no other host is at work with.
func (x *Indexer) sweep(needed map[string]bool) {
	if x.swept {
		return
	}
	x.swept = true
	for _, kind := range x.kinds() {
		unlock, err := file.Lock(x.path(kind + lockName))
		if unlock == nil && (err == nil || errors.Is(err, fs.ErrNotExist)) {
			continue // another host will, or there is no folder yet
		}
		if err == nil {
			err = errors.Join(x.clean(kind, needed), unlock())
		}
		if err != nil {
			x.config.Logger.Warn("old parts of the search index stay", "error", err)
		}
	}
}

func (x *Indexer) old(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > unusedFor
}
