package indexer

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/sdk"
)

// on has a function called between the steps of the work.
func (h *host) on(hook func(at string)) { h.hook.Store(&hook) }

// stopAt has a host stop at a step of the work until goOn is called.
func (h *host) stopAt(at string) (goOn func()) {
	stopped := make(chan struct{})
	h.on(func(s string) {
		if s == at {
			<-stopped
		}
	})
	return sync.OnceFunc(func() { close(stopped) })
}

// asks expects what a state finds and that its notes hold certain words.
func (h *host) asks(question string, want []string, notes ...string) {
	h.t.Helper()
	s := h.current()
	if diff := cmp.Diff(want, found(h.t, s, question)); diff != "" {
		h.t.Errorf("%q (-want +got):\n%s", question, diff)
	}
	if len(s.Notes) != len(notes) {
		h.t.Fatalf("notes %q, want %d", s.Notes, len(notes))
	}
	for i, words := range notes {
		if !strings.Contains(s.Notes[i], words) {
			h.t.Errorf("note %q, want %q", s.Notes[i], words)
		}
	}
}

// A call waits for what is being made, but not long: then it answers from the
// state before, unit by unit, and says so.
func TestPatience(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop", "crm")
	p.scan("crm", nil, table("c.leads", "id"))
	p.page("global/churn", "# Churn")
	synctest.Test(t, func(t *testing.T) {
		h := p.host()
		defer func() {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}()
		goOn := h.stopAt("document")
		start := time.Now()
		_, err := h.Current(t.Context())
		e := sdk.AsError(err, sdk.SourceHost)
		if e == nil || e.Kind != sdk.KindUnavailable || !e.Retry || e.Hint == "" || time.Since(start) != h.patience {
			t.Errorf("the first state is %v after %s", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := h.Current(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller with a second: %v", err)
		}
		goOn()
		h.finds("leads", "c.leads")

		goOn = h.stopAt("document")
		p.scan("crm", nil, table("c.customs", "id"))
		p.scan("shop", nil, table("s.orders", "id"))
		h.asks("leads", []string{"c.leads"}, "connection crm for its snapshot of 1970-01-01", "connection shop for its")
		h.asks("customs", nil, "this answer is from the one of 1970-01-01", "this answer is without its tables")
		p.page("global/churn", "# Attrition")
		h.asks("churn", []string{"churn"}, "wiki is being made: this answer has its pages as they were before", "crm", "shop")
		p.configure("shop")
		go goOn()
		h.finds("orders", "s.orders")
		h.finds("leads")
		h.finds("attrition", "churn")
	})
}

// Of two hosts one makes what both need; the other one answers from the state
// before, and need not wait with what is its own.
func TestOneHostMakes(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	p.scan("shop", nil, table("s.orders", "id"))
	synctest.Test(t, func(t *testing.T) {
		a, b := p.host(), p.host()
		a.finds("orders", "s.orders")
		b.finds("orders", "s.orders")
		a.wrote()
		goOn := a.stopAt("document")
		p.scan("shop", nil, table("s.invoices", "id"))
		var both sync.WaitGroup
		both.Go(func() {
			if err := a.Refresh(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		b.asks("orders", []string{"s.orders"}, "connection shop for its snapshot of")
		p.page("global/churn", "# Churn")
		b.asks("churn", []string{"churn"}, "connection shop for its snapshot of")
		both.Go(func() { b.finds("invoices", "s.invoices") })
		synctest.Wait()
		goOn()
		both.Wait()
		if n, m := a.wrote(), b.wrote(); n != 1 || m != 1 {
			t.Errorf("the hosts made %d and %d segments, want that of the tables and that of the page", n, m)
		}
		for _, h := range []*host{a, b} {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// What cannot be made is said, and not tried at every call.
func TestFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	p.scan("shop", nil, table("s.orders", "id"))
	block := func() {
		synctest.Wait() // the host may still be cleaning the folder
		if err := errors.Join(os.RemoveAll(p.index()), os.WriteFile(p.index(), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		h := p.host()
		defer func() {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}()
		block()
		for range 2 {
			if _, err := h.Current(t.Context()); sdk.KindOf(err) != sdk.KindDenied || sdk.AsError(err, "").Hint == "" {
				t.Errorf("without a state: %v", err)
			}
		}
		if err := h.Refresh(t.Context(), nil); sdk.KindOf(err) != sdk.KindDenied {
			t.Errorf("refresh: %v", err)
		}
		if err := os.Remove(p.index()); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Current(t.Context()); sdk.KindOf(err) != sdk.KindDenied {
			t.Errorf("at once: %v", err)
		}
		time.Sleep(rest)
		h.finds("orders", "s.orders")

		block()
		p.scan("shop", nil, table("s.invoices", "id"))
		h.asks("orders", []string{"s.orders"}, "could not be made (the ")
		if err := os.Remove(p.index()); err != nil {
			t.Fatal(err)
		}
		if err := h.Refresh(t.Context(), nil); err != nil {
			t.Errorf("a refresh does not wait: %v", err)
		}
		h.finds("invoices", "s.invoices")
	})
}
