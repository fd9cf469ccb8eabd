package change

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Retention of revisions: so many of a file, and all of so many days.
const (
	keptRevisions = 50
	keptFor       = 90 * 24 * time.Hour
	pruneEvery    = 24 * time.Hour
)

// Recover finishes or reverts the writes of a killed process, checks displaced files for late edits, and deletes
// revisions that need not be kept. The holder of the memory lock calls it first; every method that writes does
// the part of it that it needs.
func (e *Engine) Recover(ctx context.Context) error {
	if err := e.settle(ctx); err != nil {
		return err
	}
	if err := e.lookAgainAtAll(ctx); err != nil {
		return err
	}
	now := e.Now()
	if now.Sub(e.pruned) < pruneEvery {
		return nil
	}
	if err := e.at("prune"); err != nil {
		return unwritten("the state store", err)
	}
	s, err := e.Store.Get(ctx)
	if err != nil {
		return err
	}
	if err := s.PruneMemory(ctx, store.MemoryRetention{Revisions: keptRevisions, Since: now.Add(-keptFor)}); err != nil {
		return err
	}
	e.pruned = now
	return nil
}

// settle recovers every change that was being written.
func (e *Engine) settle(ctx context.Context) error {
	begun, err := e.records(ctx, store.MemoryFilter{States: []string{string(Applying)}})
	if err != nil {
		return err
	}
	for _, r := range slices.Backward(begun) {
		if r.writing == nil {
			return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "change %s is being written, but not what", r.ID)
		}
		if err := e.resume(ctx, r); err != nil {
			return err
		}
		e.Logger.LogAttrs(ctx, slog.LevelInfo, "a change was recovered", slog.String("change", string(r.ID)), slog.String("state", string(r.Shown())))
	}
	return nil
}

// resume brings a change that was being written to its end: it is written, or back where it was.
func (e *Engine) resume(ctx context.Context, r *record) error {
	in := r.writing
	w := &work{record: r, was: in.Was, then: in.Then, verb: in.Verb, decision: in.Decision, undone: in.Undone, problem: in.Problem}
	p, err := e.openPlace(r.Path, false)
	if errors.Is(err, fs.ErrNotExist) {
		if in.Base != (Hash{}) {
			return e.giveUp(ctx, w)
		}
		return e.again(ctx, w)
	}
	if err != nil {
		_, err = e.fail(ctx, w, unwritten(r.Path, err).Msg)
		return err
	}
	verdict, err := e.inspect(ctx, r, p)
	err = errors.Join(err, p.close())
	switch kind := sdk.KindOf(err); {
	case kind == sdk.KindDenied, kind == sdk.KindLimit: // the file is none that changes can write any more
		_, err = e.fail(ctx, w, unwritten(r.Path, err).Msg)
		return err
	case err != nil:
		return unwritten(r.Path, err)
	}
	switch verdict {
	case written:
		return e.finish(ctx, w, store.MemoryBatch{})
	case untouched:
		return e.again(ctx, w)
	}
	return e.giveUp(ctx, w)
}

// verdict says how far a write had come.
type verdict int

const (
	edited    verdict = iota // a person's content is in place
	written                  // the new content is
	untouched                // the old content is
)

// inspect finds out how far a write had come, puts a person's file back that it had
// displaced, and clears what it left beside the file.
func (e *Engine) inspect(ctx context.Context, r *record, p *place) (verdict, error) {
	in, w := r.writing, &write{place: p, id: r.ID}
	if err := w.drop(partial); err != nil {
		return edited, err
	}
	left, err := w.temps()
	if err != nil {
		return edited, err
	}
	current, err := p.read(p.file)
	if err != nil {
		return edited, err
	}
	known := func(content []byte) bool { h := hashOf(content); return h == in.Base || h == in.After }
	var theirs [][]byte
	stray := "" // the ending of a person's file that was displaced
	for _, ending := range slices.Sorted(maps.Keys(left)) {
		if _, _, back := parseBackEnding(ending); back || !known(left[ending]) {
			stray = ending
		}
		if !known(left[ending]) {
			theirs = append(theirs, left[ending])
		}
	}
	if current != nil && !known(current) {
		theirs = append(theirs, current)
	}
	if err := e.keepTheirs(ctx, r.Path, theirs...); err != nil {
		return edited, err
	}
	result, err := w.judge(ctx, in, current, left, stray)
	if err != nil {
		return edited, err
	}
	return result, errors.Join(w.clear(ctx, in), w.sync())
}

// judge returns the verdict, after a file that was moved away is back.
func (w *write) judge(ctx context.Context, in *intent, current []byte, left map[string][]byte, stray string) (verdict, error) {
	moved, apart := left[aside]
	switch now := hashOf(current); {
	case stray == aside && current == nil:
		return edited, w.giveBack(aside)
	case stray != "" && current != nil && isNewer(stray, hashOf(left[stray]), now, in):
		w.after = current
		return edited, w.back(ctx, stray, left[stray])
	case stray != "":
		return edited, nil
	case now == in.After:
		return written, nil
	case now == in.Base:
		return untouched, nil
	case current == nil && apart && hashOf(moved) == in.Base: // killed between moving away and putting in place
		return untouched, w.giveBack(aside)
	}
	return edited, nil
}

// isNewer reports whether a person's file that a write displaced was saved after the one in place.
func isNewer(ending string, displaced, current Hash, in *intent) bool {
	put, back, named := parseBackEnding(ending)
	if !named {
		return current == in.After
	}
	return current == put || current == back && displaced != put
}

// giveBack gives a file that was moved away its name again, unless there is another one.
func (w *write) giveBack(ending string) error {
	if err := w.place.engine.at("back"); err != nil {
		return err
	}
	if err := file.Put(w.place.dir, w.temp(ending), w.place.file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// clear moves away what a write left beside the file.
func (w *write) clear(ctx context.Context, in *intent) error {
	left, err := w.temps()
	if err != nil {
		return err
	}
	for ending, content := range left {
		second, err := w.isSecondName(ending)
		switch {
		case err == nil && second:
			err = w.drop(ending)
		case err == nil:
			if hashOf(content) == in.After {
				w.after = content
			}
			err = w.displace(ctx, ending, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isSecondName reports whether what a write left is the file itself, by another name.
func (w *write) isSecondName(ending string) (bool, error) {
	one, err := w.place.root.Lstat(w.temp(ending))
	if err != nil {
		return false, err
	}
	other, err := w.place.root.Lstat(w.place.file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(one, other), err
}

// again writes what an intent says.
func (e *Engine) again(ctx context.Context, w *work) error {
	base, err := e.Content(ctx, w.record.writing.Base)
	if err != nil {
		return err
	}
	after, err := e.Content(ctx, w.record.writing.After)
	if err != nil {
		return err
	}
	result, err := e.put(ctx, w.record.ID, w.record.Path, base, after)
	switch {
	case err != nil && !result.unsettled: // as when it is written the first time
		_, failed := e.fail(ctx, w, sdk.AsError(err, sdk.SourceHost).Msg)
		return failed
	case err != nil:
		return err
	case result.outrun:
		return e.giveUp(ctx, w)
	}
	return e.finish(ctx, w, store.MemoryBatch{})
}

func (e *Engine) giveUp(ctx context.Context, w *work) error {
	_, err := e.fail(ctx, w, WhyEdited)
	return err
}
