package run

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

const minute = time.Minute

func TestBeginWorksInTheBackground(t *testing.T) {
	t.Parallel()
	e, dir := project(t)
	second := engineOn(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	type key struct{}
	more := make(chan struct{})
	begun := must(t)(e.Begin(context.WithValue(ctx, key{}, "kept"), scanOf("shop"), func(ctx context.Context, report func(sdk.Progress)) (any, error) {
		report(sdk.Progress{Phase: "tables", Done: 2, Total: 8})
		<-more
		report(sdk.Progress{Phase: "profiles", Done: 5})
		return map[string]any{"tables": 8, "who": ctx.Value(key{}), "password": "hunter2"}, ctx.Err()
	}))
	cancel() // the request is over
	if begun.State != Running || begun.StartedAt.IsZero() || begun.Principal != "ana" || begun.Cause != "scan_trigger" || begun.By.Client != "agent" || string(begun.Input) != `{"mode":"structural"}` {
		t.Errorf("%+v", begun)
	}
	seen := map[string]int64{}
	for range 500 { // another host sees how far it is
		r := must(t)(second.Wait(t.Context(), begun.ID, 10*time.Millisecond, func(p sdk.Progress) { seen[p.Phase] = p.Done*10 + p.Total }))
		if r.Total != nil {
			break
		}
	}
	close(more)
	r := must(t)(second.Wait(t.Context(), begun.ID, minute, nil))
	if seen["tables"] != 28 {
		t.Errorf("progress %v", seen)
	}
	if r.State != Done || r.Stage != "done" || r.Done != 5 || r.Total != nil || r.FinishedAt.IsZero() || r.Error != "" || string(r.Report) != `{"password":"***","tables":8,"who":"kept"}` {
		t.Errorf("%+v report %s", r, r.Report)
	}
	if _, err := e.Get(t.Context(), "0000000000000"); sdk.KindOf(err) != sdk.KindNotFound {
		t.Error(err)
	}
}

func TestOneWriterForEachKindAndTarget(t *testing.T) {
	t.Parallel()
	e, dir := project(t)
	first := must(t)(e.Begin(t.Context(), scanOf("shop"), untilCanceled))
	for _, engine := range []*Engine{e, engineOn(t, dir)} {
		_, err := engine.Begin(t.Context(), scanOf("shop"), untilCanceled)
		wantKind(t, err, sdk.KindConflict, "run "+first.ID)
		if !sdk.AsError(err, "").Retry {
			t.Error("it may be tried again")
		}
	}
	must(t)(e.Begin(t.Context(), scanOf("lake"), untilCanceled))
	if _, err := e.Do(t.Context(), Work{Kind: Index, Target: "shop"}, func(context.Context, func(sdk.Progress)) (any, error) { return nil, nil }); err != nil {
		t.Error(err)
	}
}

func TestHowRunsEnd(t *testing.T) {
	t.Parallel()
	broken := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "no route, password hunter2").WithHint("check the network")
	canceled, cancel := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		ctx      context.Context
		deadline time.Duration
		do       func(context.Context) (any, error)
		state    State
		kind     sdk.Kind
		says     string
	}{
		"error":    {t.Context(), 0, func(context.Context) (any, error) { return map[string]int{"tables": 1}, broken }, Failed, sdk.KindUnavailable, "no route, password ***: check the network"},
		"panic":    {t.Context(), 0, func(context.Context) (any, error) { panic("x") }, Failed, sdk.KindInternal, "the run failed; the log has the place"},
		"deadline": {t.Context(), 1, func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, Failed, sdk.KindTimeout, "context deadline exceeded"},
		"caller":   {canceled, 0, func(ctx context.Context) (any, error) { cancel(); <-ctx.Done(); return nil, ctx.Err() }, Canceled, sdk.KindCanceled, "context canceled"},
	} {
		e, _ := project(t)
		w := scanOf("shop")
		w.Deadline = c.deadline
		r, err := e.Do(c.ctx, w, func(ctx context.Context, _ func(sdk.Progress)) (any, error) { return c.do(ctx) })
		if err == nil || r.State != c.state {
			t.Errorf("%s: %v, %v", name, r.State, err)
		}
		if name == "error" && (!errors.Is(err, broken) || string(r.Report) != `{"tables":1}`) {
			t.Errorf("%s: %v, report %s", name, err, r.Report)
		}
		stored := must(t)(e.Get(t.Context(), r.ID))
		if stored.State != c.state || stored.ErrorKind != c.kind || stored.Error != c.says {
			t.Errorf("%s: stored %+v", name, stored)
		}
		must(t)(e.Do(t.Context(), scanOf("shop"), func(context.Context, func(sdk.Progress)) (any, error) { return nil, nil })) // the lock is free
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	e, dir := project(t)
	r := must(t)(e.Begin(t.Context(), scanOf("shop"), untilCanceled))
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Fatal(err)
	}
	after := must(t)(engineOn(t, dir).Get(t.Context(), r.ID))
	if after.State != Failed || after.ErrorKind != sdk.KindUnavailable || after.Error != "the host ended before the run did: run it again" {
		t.Errorf("%+v", after)
	}
	_, err := e.Begin(t.Context(), scanOf("shop"), untilCanceled)
	wantKind(t, err, sdk.KindUnavailable, "the host ended")
}

func TestCancel(t *testing.T) {
	t.Parallel()
	e, dir := project(t)
	_, far := other(t, dir)
	near := must(t)(e.Begin(t.Context(), scanOf("lake"), untilCanceled))
	for _, id := range []string{far, near.ID} {
		if err := e.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		r := must(t)(e.Wait(t.Context(), id, minute, nil))
		if r.State != Canceled || r.Canceling {
			t.Errorf("%+v", r)
		}
		if err := e.Cancel(t.Context(), id); err != nil {
			t.Errorf("again: %v", err)
		}
	}
	done := must(t)(e.Do(t.Context(), scanOf("shop"), func(context.Context, func(sdk.Progress)) (any, error) { return nil, nil }))
	wantKind(t, e.Cancel(t.Context(), done.ID), sdk.KindConflict, "has ended: done")
	wantKind(t, e.Cancel(t.Context(), "0000000000000"), sdk.KindNotFound, "loam runs list")
}

// What goes on although it is canceled is done, not canceled.
func TestCancelTooLate(t *testing.T) {
	t.Parallel()
	e, _ := project(t)
	r := must(t)(e.Begin(t.Context(), scanOf("shop"), func(ctx context.Context, _ func(sdk.Progress)) (any, error) {
		<-ctx.Done()
		return nil, nil
	}))
	if err := e.Cancel(t.Context(), r.ID); err != nil && sdk.KindOf(err) != sdk.KindConflict {
		t.Fatal(err)
	}
	if r = must(t)(e.Wait(t.Context(), r.ID, minute, nil)); r.State != Done {
		t.Errorf("%+v", r)
	}
}

func TestKilledProcess(t *testing.T) {
	t.Parallel()
	e, dir := project(t)
	cmd, id := other(t, dir)
	if r := must(t)(e.Get(t.Context(), id)); r.State != Running {
		t.Fatalf("a living process: %+v", r)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	page, err := e.List(t.Context(), Filter{States: []State{Failed}})
	if err != nil || page.Total != 1 || page.Runs[0].ID != id || page.Runs[0].Error != died || page.Runs[0].ErrorKind != sdk.KindUnavailable {
		t.Fatalf("%+v, %v", page, err)
	}
	cmd, id = other(t, dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	next := must(t)(e.Do(t.Context(), scanOf("shop"), func(ctx context.Context, _ func(sdk.Progress)) (any, error) {
		return nil, nil // nobody has looked before
	}))
	if r := must(t)(e.Get(t.Context(), id)); r.State != Failed || r.Error != died || next.State != Done {
		t.Errorf("%+v", r)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	e, _ := project(t)
	ctx := t.Context()
	if page, err := e.List(ctx, Filter{}); err != nil || page.Total != 0 {
		t.Fatalf("without a state store: %+v, %v", page, err)
	}
	nothing := func(context.Context, func(sdk.Progress)) (any, error) { return nil, nil }
	var ids []string // the latest first
	for i := range 5 {
		w := Work{Kind: Scan, Target: fmt.Sprint("c", i%2), Actor: change.Actor{Channel: change.CLI}}
		ids = append([]string{must(t)(e.Do(ctx, w, nothing)).ID}, ids...)
	}
	one := caller.With(ctx, &caller.Caller{Grant: caller.Grant{Connections: []string{"c1"}}})
	must(t)(e.Do(ctx, Work{Kind: Index, Target: "handbook"}, nothing))
	must(t)(e.Do(one, Work{Kind: Index, Target: "c1 files"}, nothing))
	for name, c := range map[string]struct {
		ctx    context.Context
		filter Filter
		want   int
	}{
		"all":                {ctx, Filter{}, 7},
		"kind":               {ctx, Filter{Kinds: []string{Scan, Mine}}, 5},
		"state":              {ctx, Filter{States: []State{Running}}, 0},
		"target":             {ctx, Filter{Target: "c0"}, 3},
		"a narrowed caller":  {one, Filter{}, 3},
		"another connection": {one, Filter{Target: "c0"}, 0},
	} {
		if page, err := e.List(c.ctx, c.filter); err != nil || page.Total != c.want || len(page.Runs) != c.want {
			t.Errorf("%s: %d, %v, want %d", name, page.Total, err, c.want)
		}
	}
	if _, err := e.Get(one, ids[0]); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("a run of another connection: %v", err)
	}
	f, seen := Filter{Kinds: []string{Scan}, Limit: 2}, map[string]bool{}
	for pages := 1; ; pages++ {
		page, err := e.List(ctx, f)
		if err != nil || page.Total != 5 {
			t.Fatal(page.Total, err)
		}
		for _, r := range page.Runs {
			seen[r.ID] = true
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			if pages != 3 || len(seen) != 5 {
				t.Errorf("%d pages with %d runs", pages, len(seen))
			}
			break
		}
		_, err = e.List(ctx, Filter{Kinds: []string{Mine}, Limit: 2, Cursor: page.Next})
		wantKind(t, err, sdk.KindInvalid, "without a cursor")
	}
}

type queue struct{ state *store.Store }

func (q queue) Recover(ctx context.Context) error { return q.state.RecoverRuns(ctx, 3, time.Now()) }

// A queue takes over its runs itself; a waiting text is canceled at once.
func TestRunsOfAQueue(t *testing.T) {
	t.Parallel()
	e, _ := project(t)
	state, err := e.Store.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.Queues = map[string]Queue{Ingest: queue{state}}
	for _, id := range []string{"A", "B"} {
		if _, err := state.AcceptIngest(t.Context(), store.Run{ID: id, Actor: []byte(`{}`), QueuedAt: time.Now()}, store.Ingest{ContentHash: []byte(id), Content: []byte(id)}, store.Acceptance{Most: 9}); err != nil {
			t.Fatal(err)
		}
	}
	if _, started, err := state.StartRun(t.Context(), "A", "planning", time.Now()); err != nil || !started {
		t.Fatal(started, err)
	}
	if r := must(t)(e.Get(t.Context(), "A")); r.State != Queued {
		t.Errorf("the run of a dead process: %+v", r)
	}
	if err := e.Cancel(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if r := must(t)(e.Get(t.Context(), "B")); r.State != Canceled || r.FinishedAt.IsZero() {
		t.Errorf("%+v", r)
	}
	if queued, err := state.QueuedRuns(t.Context(), 9); err != nil || len(queued) != 1 {
		t.Errorf("%+v, %v", queued, err)
	}
}

func TestPoll(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]time.Duration{0: 500 * time.Millisecond, 20 * time.Second: 2 * time.Second, time.Hour: 5 * time.Second} {
		r := Run{State: Running, QueuedAt: at}
		if got := r.Poll(at.Add(age)); got != want {
			t.Errorf("after %v: %v", age, got)
		}
	}
	if got := (&Run{State: Done}).Poll(at); got != 0 {
		t.Errorf("ended: %v", got)
	}
}
