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
	lockName  = "lock"
	// recheck is how often a host looks whether another one is done with what
	// both need.
	recheck = 50 * time.Millisecond
	// unusedFor is how old a segment is that may be removed when this host has no
	// use for it: another one, with other pages, may have made it for itself.
	unusedFor = time.Hour
)

func (x *Indexer) path(name string) string { return filepath.Join(x.config.Dir, name) }

// lock takes the folder for making segments in it. It gives up waiting for
// another host when enough says so.
// Shape: unlock is nil when it was enough.
// Errors: KindDenied; those of ctx.
func (x *Indexer) lock(ctx context.Context, enough func() bool) (unlock func() error, err error) {
	for {
		err := os.MkdirAll(x.config.Dir, 0o700)
		if err == nil {
			unlock, err = file.Lock(x.path(lockName))
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
// nobody needs. Whoever calls it has the lock.
func (x *Indexer) clean(needed map[string]bool) error {
	entries, err := os.ReadDir(x.config.Dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		leftOver := strings.HasPrefix(e.Name(), ".")
		if !leftOver && (needed[e.Name()] || filepath.Ext(e.Name()) != extension || !x.old(e)) {
			continue
		}
		if err := os.Remove(x.path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (x *Indexer) old(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > unusedFor
}
