package memory

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/extract"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/store"
)

// An extractor asks a language model; *extract.Extractor is one.
type extractor interface {
	Extract(ctx context.Context, t extract.Text) (extract.Found, error)
}

// asked is what the model found in the texts of runs; nil = rules alone read them.
type asked map[string]extract.Found

// ask asks the model about the runs that wait first. It needs no lock: a model may take minutes, and others
// decide meanwhile. What is in before is not asked about again.
// Errors: those of the store and of ctx.
func (s *Service) ask(ctx context.Context, state *store.Store, before asked) (asked, error) {
	p, err := s.policy(ctx)
	if err != nil || p.Planner != "llm" || s.Model == nil {
		return nil, nil //nolint:nilerr // each run fails of it, and says so
	}
	queued, err := state.QueuedRuns(ctx, batch)
	if err != nil {
		return nil, err
	}
	all, began := asked{}, time.Now()
	for _, r := range queued {
		found, ok := before[r.ID]
		if !ok && len(all) > 0 && time.Since(began) > batchTime {
			break
		}
		if !ok {
			if found, err = s.askAbout(ctx, state, r); err != nil {
				return nil, err
			}
		}
		all[r.ID] = found
	}
	return all, nil
}

// askAbout asks the model about the text of a run. What keeps it from being asked is a note.
// Errors: those of ctx.
func (s *Service) askAbout(ctx context.Context, state *store.Store, r store.Run) (extract.Found, error) {
	in, err := state.IngestOf(ctx, r.ID)
	if err == nil {
		var j *job
		var by author
		if j, by, err = s.jobOf(state, r, in); err == nil {
			err = j.ask(by.seeing(ctx))
			if ctx.Err() == nil && err == nil {
				return j.found, nil
			}
		}
	}
	if ctx.Err() != nil {
		return extract.Found{}, ctx.Err()
	}
	return extract.Found{Failed: true, Notes: []string{"the text was read by rules alone: " + failureText(err)}}, nil
}

// ask asks the model about the text of the job; a panic is a note.
// Errors: those of ctx.
func (j *job) ask(ctx context.Context) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			j.service.Logger.ErrorContext(ctx, "asking the language model failed", "run", j.id, "error", fmt.Sprint(fault), "stack", string(debug.Stack()))
			j.found = extract.Found{Failed: true, Notes: []string{"the text was read by rules alone: asking the model failed; the log has the place"}}
		}
	}()
	j.found, err = j.service.Model.Extract(ctx, extract.Text{Content: j.text, Names: func(part string) []string { return j.names(ctx, part) }})
	return err
}

const (
	// maxNames is how many names go with a part of a text.
	maxNames = 30
	// maxQuery is how much of a text the index reads, in bytes.
	maxQuery = 1024
)

// named are the kinds of things whose names the model is told.
var named = []search.Kind{search.Source, search.Measure, search.Dimension, search.Table, search.Column}

// names are those of the run's connection that fit a text best, and no values. Where the index cannot be
// read there are none.
func (j *job) names(ctx context.Context, part string) (names []string) {
	if j.connection == "" {
		return nil
	}
	state, err := j.service.Index.Current(ctx)
	if err != nil {
		j.service.Logger.WarnContext(ctx, "the language model is asked without names", "error", err)
		return nil
	}
	defer func() { state.Release() }()
	if who := caller.Of(ctx); who.Narrows() {
		state.Only(func(id connection.ID) bool { return who.AllowsConnection(string(id)) })
	}
	found := state.Index.Search(search.Query{Text: distinctWords(part), Kinds: named, Connections: []string{j.connection}, Limit: maxNames})
	for _, hit := range found.Hits {
		if hit.Connection != j.connection {
			continue
		}
		name := hit.ID
		if hit.Kind == search.Column && hit.Parent != "" {
			name = hit.Parent + "." + hit.Name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// distinctWords are the words of a text, each once, as many as a search reads.
func distinctWords(s string) string {
	seen := map[string]bool{}
	var b strings.Builder
	for word := range strings.FieldsSeq(s) {
		if key := strings.ToLower(word); !seen[key] && b.Len()+len(word) < maxQuery && utf8.ValidString(word) {
			seen[key] = true
			b.WriteString(word + " ")
		}
	}
	return b.String()
}
