package query

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

func request(session string, form url.Values) *page.Request {
	return &page.Request{Form: form, Session: session, Now: now, Actor: change.Actor{Channel: change.Console}, URL: &url.URL{Path: "/console/query"}}
}

// waiting is a warehouse that answers when its statement is ended.
func waiting(ended *bool) func(context.Context, query.Request, query.Sink) (query.Summary, error) {
	return func(ctx context.Context, _ query.Request, _ query.Sink) (query.Summary, error) {
		<-ctx.Done()
		*ended = true
		return query.Summary{}, sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "the request was cancelled")
	}
}

// The session that runs a statement ends it; another one cannot, and leaving the page does.
func TestCancel(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var ended bool
	f.Run = waiting(&ended)
	synctest.Test(t, func(t *testing.T) {
		s := &service{Services: f.Services}
		for _, leaves := range []bool{false, true} {
			ended = false
			out, err := s.run(t.Context(), request("one", typed("select 1")))
			if err != nil || out.View.Then == nil {
				t.Fatal(err, out.View.Data)
			}
			id := out.View.Data.(*data).Run
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan any)
			go func() {
				got, err := out.View.Then(ctx)
				done <- fmt.Sprint(got.(*answer).Cancelled, got.(*answer).Fault != nil, err)
			}()
			synctest.Wait()
			if _, err := s.cancel(t.Context(), request("two", url.Values{"run": {id}})); sdk.KindOf(err) != sdk.KindNotFound || ended {
				t.Errorf("another session: %v", err)
			}
			want := "false true <nil>"
			if leaves {
				leave()
			} else {
				want = "true false <nil>"
				cancelled, err := s.cancel(t.Context(), request("one", url.Values{"run": {id}}))
				if err != nil || cancelled.View.Data.(*data).Form.SQL != "select 1" {
					t.Errorf("cancel: %v", err)
				}
			}
			if got := <-done; got != want || !ended {
				t.Errorf("%v, ended %v", got, ended)
			}
			leave()
			if _, err := s.cancel(t.Context(), request("one", url.Values{"run": {id}})); sdk.KindOf(err) != sdk.KindNotFound {
				t.Errorf("after its end: %v", err)
			}
		}
		if len(s.running.all) != 0 {
			t.Errorf("%d statements are kept", len(s.running.all))
		}
	})
	if calls := f.recorded(); len(calls) != 2 || calls[0].Outcome != "canceled" {
		t.Errorf("%+v", calls)
	}
}

// A statement that was cancelled before its page was sent does not run to its end.
func TestCancelBeforeBegin(t *testing.T) {
	t.Parallel()
	var r running
	one, err := r.add("s", Form{}, now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.cancel("s", one.id); err != nil {
		t.Fatal(err)
	}
	ctx, end := r.begin(t.Context(), one)
	defer end()
	if ctx.Err() == nil {
		t.Error("it runs")
	}
}

func TestRunningIsBounded(t *testing.T) {
	t.Parallel()
	var r running
	for range maxRunning {
		if _, err := r.add("s", Form{}, now); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.add("s", Form{}, now); sdk.KindOf(err) != sdk.KindRateLimited {
		t.Errorf("%v", err)
	}
	if _, err := r.add("other", Form{}, now); err != nil {
		t.Error(err)
	}
	if _, err := r.add("s", Form{}, now.Add(2*maxWaiting)); err != nil { // pages that were never sent
		t.Error(err)
	}
	if len(r.all) != 1 {
		t.Errorf("%d are kept", len(r.all))
	}
}

func TestRecentsAreBounded(t *testing.T) {
	t.Parallel()
	var r recents
	form := func(sql string) Form { return Form{Tab: tabSQL, Connection: "shop", SQL: sql} }
	for i := range 30 {
		r.add("s", form(fmt.Sprint("select ", i)))
	}
	r.add("s", form("select 20"))
	var got []string
	for _, one := range r.list("s") {
		got = append(got, strings.TrimPrefix(one.Text, "select "))
	}
	if diff := cmp.Diff("20 29 28 27 26 25 24 23 22 21 19 18 17 16 15 14 13 12 11 10", strings.Join(got, " ")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range 5 {
		r.add("s", form(strings.Repeat("x", 60_000)+time.Now().String()))
	}
	if n := len(r.list("s")); n != 2 {
		t.Errorf("%d long texts are kept", n)
	}
	first := r.list("s")[0]
	if _, ok := r.find("other", first.ID); ok {
		t.Error("another session reads it")
	}
	for i := range 3 * maxSessions {
		r.add(fmt.Sprint("session ", i), form("select 1"))
	}
	if len(r.sessions) != maxSessions || r.list("s") != nil {
		t.Errorf("%d sessions are kept", len(r.sessions))
	}
}
