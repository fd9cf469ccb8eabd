package search

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// lived opens a segment that nothing but a Live closes.
func lived(t *testing.T, path, content string) *Segment {
	t.Helper()
	write(t, path, content, shop)
	s, err := Open(path, analyzer)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLiveClosesAfterTheLastReader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	var live Live
	if s, release := live.Acquire(); s != nil {
		t.Error("a Live that holds nothing gives something")
	} else {
		release()
	}
	one, two := lived(t, path, "one"), lived(t, path, "two")
	if err := live.Swap(one); err != nil {
		t.Fatal(err)
	}
	s, release := live.Acquire()
	if err := live.Swap(two); err != nil {
		t.Fatal(err)
	}
	if s != one || one.Size() == 0 || len(s.Search(Query{Text: "orders"}).Hits) == 0 {
		t.Error("the segment that a reader holds is closed")
	}
	if got := live.Identity().Content; got != "two" {
		t.Errorf("current is %q, want two", got)
	}
	_, later := live.Acquire()
	release()
	release()
	later()
	if err := errors.Join(live.Close(), live.Close()); err != nil {
		t.Fatal(err)
	}
	if one.Size() != 0 {
		t.Error("the replaced segment is still open after its last reader")
	}
	if two.Size() != 0 || live.Identity() != (Identity{}) {
		t.Error("the current segment is still there after Close")
	}
	late := lived(t, path, "late")
	if err := live.Swap(late); err != nil {
		t.Fatal(err)
	}
	if late.Size() != 0 {
		t.Error("a segment that comes after Close is kept")
	}
}

// Close returns only when nobody reads any more.
func TestLiveCloseWaitsForReaders(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	one := lived(t, path, "one")
	synctest.Test(t, func(t *testing.T) {
		var live Live
		if err := live.Swap(one); err != nil {
			t.Fatal(err)
		}
		_, release := live.Acquire()
		closed := make(chan error)
		go func() { closed <- live.Close() }()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("closed under a reader")
		default:
		}
		release()
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}

func TestLiveRefresh(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	var live Live
	defer live.Close()
	var loads atomic.Int64
	load := func(context.Context) (*Segment, error) {
		loads.Add(1)
		return lived(t, path, "one"), nil
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := live.Refresh(t.Context(), "one", load); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := loads.Load(); n != 1 {
		t.Errorf("loaded %d times, want once", n)
	}
	broken := errors.New("broken")
	err := live.Refresh(t.Context(), "two", func(context.Context) (*Segment, error) { return nil, broken })
	if !errors.Is(err, broken) || live.Identity().Content != "one" {
		t.Errorf("after a failed refresh: %v, %v", err, live.Identity())
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := live.Refresh(canceled, "three", load); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled refresh: %v", err)
	}
}

// Readers search while segments are swapped: none fails, none sees freed memory.
func TestLiveUnderSwaps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	var live Live
	if err := live.Swap(lived(t, path, "0")); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				s, release := live.Acquire()
				if s == nil || len(s.Search(Query{Text: "customer orders"}).Hits) == 0 {
					t.Error("a reader found nothing during a swap")
				}
				release()
			}
		})
	}
	for i := range 12 {
		if err := live.Swap(lived(t, path, fmt.Sprint(i+1))); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	wg.Wait()
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
}
