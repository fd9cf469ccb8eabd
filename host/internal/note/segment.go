package note

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	extension = ".segment"
	// layout is the number of how documents are made of notes. Raise it with every change.
	layout = 1
	// Notes are indexed in ranges of their numbers. A full block is one range; the newest block consists of ranges of
	// 256, of 16 and of the rest, so that the note that was saved last costs the reading of 15 others at most.
	middleBits, smallBits = 8, 4
	// unusedFor is how old a segment is that may be removed when this host has no use for it.
	unusedFor = time.Hour
	// tries bounds how often a segment is made that somebody removes at once.
	tries = 3
)

// span is a range of notes whose segment never changes.
type span struct {
	from, to int64 // numbers of notes, both included
	file     string
}

// segments is the search index of a kind of notes: one segment for each span.
// Concurrency: one goroutine at a time, which has the turn.
type segments struct {
	kind  store.NoteKind
	dir   string
	fill  func(context.Context, *search.Builder, span) error
	turn  chan struct{} // a lock whose waiters can be cancelled
	swept bool

	blocks []store.NoteBlock // of which spans are
	spans  []span
	open   map[string]*search.Segment // by file
	closed bool
}

func newSegments(kind store.NoteKind, dir string, fill func(context.Context, *search.Builder, span) error) *segments {
	return &segments{kind: kind, dir: dir, fill: fill, turn: make(chan struct{}, 1), open: map[string]*search.Segment{}}
}

// index returns the index of the notes that are stored now. The caller closes it.
// Errors: KindDenied, KindLimit; those of the store and of ctx.
func (s *segments) index(ctx context.Context, state *store.Store) (*search.Index, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.closed {
		return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the host is being stopped").WithHint("start it again")
	}
	if err := s.refresh(ctx, state); err != nil {
		return nil, err
	}
	all := make([]*search.Segment, len(s.spans))
	for i, p := range s.spans {
		all[i] = s.open[p.file]
	}
	return search.NewIndex(text.New(), all...), nil
}

// refresh opens and makes the segments of what is stored now.
func (s *segments) refresh(ctx context.Context, state *store.Store) error {
	blocks, err := state.NoteBlocks(ctx, s.kind)
	if err != nil {
		return err
	}
	if s.spans != nil && slices.Equal(blocks, s.blocks) {
		return nil
	}
	spans, err := s.divide(ctx, state, blocks)
	if err != nil {
		return err
	}
	for _, p := range spans {
		if err := s.provide(ctx, p); err != nil {
			return err
		}
	}
	before := s.spans
	s.blocks, s.spans = blocks, spans
	return s.forget(before)
}

// divide returns the spans of blocks.
func (s *segments) divide(ctx context.Context, state *store.Store, blocks []store.NoteBlock) ([]span, error) {
	spans := []span{}
	const size = 1 << store.NoteBlockBits
	for i, b := range blocks {
		from := b.Block << store.NoteBlockBits
		switch {
		case b.Live == 0:
		case i < len(blocks)-1:
			// A segment that lost half of its notes is made anew, for them not to be in the way.
			spans = append(spans, s.span(from, from+size-1, b.Last, bits.Len64(uint64(b.Live-1))))
		default:
			last, _, err := state.NoteBelow(ctx, s.kind, from+size)
			if err != nil {
				return nil, err
			}
			for from <= last {
				to := from + 1<<middleBits
				if to > last+1 {
					to = from + 1<<smallBits
				}
				seq, id, err := state.NoteBelow(ctx, s.kind, to)
				if err != nil {
					return nil, err
				}
				if seq >= from {
					spans = append(spans, s.span(from, min(to-1, last), id, 0))
				}
				from = to
			}
		}
	}
	return spans, nil
}

// span names a range by its last note: the random part of that note's id tells two stores apart that count alike.
func (s *segments) span(from, to int64, last string, live int) span {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d %d %s %d", layout, search.Version(text.New()), from, to, last, live))
	return span{from: from, to: to, file: string(s.kind) + "-" + hex.EncodeToString(sum[:16]) + extension}
}

// provide opens the segment of a span, and makes it unless it is there.
func (s *segments) provide(ctx context.Context, p span) error {
	if s.open[p.file] != nil {
		return nil
	}
	path := filepath.Join(s.dir, p.file)
	for try := 0; ; try++ {
		opened, err := search.Open(path, text.New())
		if err == nil {
			s.open[p.file] = opened
			return nil
		}
		switch sdk.KindOf(err) {
		case sdk.KindNotFound, sdk.KindUnavailable, sdk.KindConflict: // missing, damaged, of other rules
		default:
			return err
		}
		if try == tries {
			return err
		}
		if err := s.write(ctx, path, p); err != nil {
			return err
		}
	}
}

// write makes the segment of a span. It appears whole or not at all; another host may make the same.
func (s *segments) write(ctx context.Context, path string, p span) (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the index in %s cannot be written: %w", s.dir, err).
			WithHint("make the folder writable for this user")
	}
	b, err := search.NewBuilder(path, text.New())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := s.fill(ctx, b, p); err != nil {
		return err
	}
	return b.Finish(p.file, nil)
}

// forget closes the segments that no span needs, removes the files of those that this host needed before, and once
// those of hosts that ended.
func (s *segments) forget(before []span) error {
	needed := map[string]bool{}
	for _, p := range s.spans {
		needed[p.file] = true
	}
	var errs []error
	for name, segment := range s.open {
		if !needed[name] {
			errs = append(errs, segment.Close())
			delete(s.open, name)
		}
	}
	for _, p := range before {
		if !needed[p.file] {
			errs = append(errs, s.remove(p.file))
		}
	}
	if !s.swept {
		s.swept = true
		errs = append(errs, s.sweep(needed))
	}
	return errors.Join(errs...)
}

func (s *segments) sweep(needed map[string]bool) error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the index in %s cannot be read: %w", s.dir, err).WithHint("make the folder readable for this user")
	}
	var errs []error
	for _, e := range entries {
		name := e.Name()
		info, err := e.Info()
		if strings.HasPrefix(strings.TrimPrefix(name, "."), string(s.kind)+"-") && !needed[name] && err == nil && time.Since(info.ModTime()) > unusedFor {
			errs = append(errs, s.remove(name))
		}
	}
	return errors.Join(errs...)
}

func (s *segments) remove(name string) error {
	if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "an old part of the index cannot be removed: %w", err).WithHint("make the folder %s writable for this user", s.dir)
	}
	return nil
}

// close gives the segments up. A search that runs keeps its own.
func (s *segments) close() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.closed = true
	s.spans, s.blocks = nil, nil
	var errs []error
	for name, segment := range s.open {
		errs = append(errs, segment.Close())
		delete(s.open, name)
	}
	return errors.Join(errs...)
}
