package note

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/store"
)

// Query asks for notes by words, of what the caller may see.
type Query struct {
	Text        string
	ProjectPath string   // "" = any
	Tags        []string // a note has them all
	Limit       int
}

// Found is a note in an answer with how it was found.
type Found[N any] struct {
	Note N
	search.Hit
}

// FindCheckpoints returns the checkpoints that match a query best, and the words that match nothing.
func (e *Engine) FindCheckpoints(ctx context.Context, q Query) ([]Found[store.Checkpoint], error) {
	return find(ctx, e, e.checkpoints, q, search.Checkpoint, (*store.Store).CheckpointsOf, func(c *store.Checkpoint) *store.Note { return &c.Note })
}

// FindRemediations returns the remediations that match a query best, and the words that match nothing. Those that a
// person rejected are left out.
func (e *Engine) FindRemediations(ctx context.Context, q Query) ([]Found[store.Remediation], error) {
	return find(ctx, e, e.remediations, q, search.Remediation, (*store.Store).RemediationsOf, func(r *store.Remediation) *store.Note {
		if r.Review == store.Rejected {
			return nil
		}
		return &r.Note
	})
}

// find searches, and reads what it found: notes that were deleted since their segment was made are left out. of
// returns the common part of a note, nil = it is left out.
func find[N any](ctx context.Context, e *Engine, s *segments, q Query, kind search.Kind, read func(*store.Store, context.Context, []string) ([]N, error), of func(*N) *store.Note) (found []Found[N], err error) {
	if !e.Began() {
		return nil, nil
	}
	state, err := e.state.Get(ctx)
	if err != nil {
		return nil, err
	}
	index, err := s.index(ctx, state)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	viewer := Viewer(ctx)
	for limit := q.Limit + 1; ; limit *= 8 {
		result := index.Search(search.Query{Text: q.Text, Kinds: []search.Kind{kind}, Connections: q.groups(viewer), Limit: limit})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if found, err = visible(ctx, state, result.Hits, q, viewer, read, of); err != nil {
			return nil, err
		}
		if len(found) >= q.Limit || len(result.Hits) < limit {
			return found[:min(q.Limit, len(found))], nil
		}
	}
}

// visible reads the notes of hits and leaves out those that are not asked for.
func visible[N any](ctx context.Context, state *store.Store, hits []search.Hit, q Query, viewer string, read func(*store.Store, context.Context, []string) ([]N, error), of func(*N) *store.Note) (found []Found[N], err error) {
	const most = 1_000 // placeholders of a statement
	for part := range slices.Chunk(hits, most) {
		ids := make([]string, len(part))
		for i := range part {
			ids[i] = part[i].ID
		}
		all, err := read(state, ctx, ids)
		if err != nil {
			return nil, err
		}
		byID := make(map[string]*N, len(all))
		for i := range all {
			if n := of(&all[i]); n != nil && q.asks(n, viewer) {
				byID[n.ID] = &all[i]
			}
		}
		for i := range part {
			if n := byID[part[i].ID]; n != nil {
				found = append(found, Found[N]{Note: *n, Hit: part[i]})
			}
		}
		if len(found) >= q.Limit {
			return found, nil
		}
	}
	return found, nil
}

// groups are those whose documents a search returns.
func (q *Query) groups(viewer string) (all []string) {
	for _, owner := range slices.Compact([]string{"", viewer}) {
		switch {
		case q.ProjectPath != "":
			all = append(all, pathGroup(owner, q.ProjectPath))
		case len(q.Tags) > 0:
			all = append(all, tagGroup(owner, q.Tags[0]))
		default:
			all = append(all, ownerGroup(owner))
		}
	}
	return all
}

// asks reports whether a note is one of those that a query asks for.
func (q *Query) asks(n *store.Note, viewer string) bool {
	return (n.Owner == "" || n.Owner == viewer) && (q.ProjectPath == "" || n.ProjectPath == q.ProjectPath) && HasTags(n, q.Tags)
}

// HasTags reports whether a note has all of some tags.
func HasTags(n *store.Note, tags []string) bool {
	if len(tags) == 0 {
		return true
	}
	own := TagsOf(n)
	return !slices.ContainsFunc(tags, func(tag string) bool {
		return !slices.ContainsFunc(own, func(o string) bool { return strings.EqualFold(o, tag) })
	})
}
