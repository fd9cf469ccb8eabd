package search

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
)

// lived opens an index that nothing but a Live closes.
func lived(t *testing.T, path string) *Index {
	t.Helper()
	write(t, path, "lived", shop)
	s, err := Open(path, analyzer)
	if err != nil {
		t.Fatal(err)
	}
	x := NewIndex(analyzer, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return x
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
	one, two := lived(t, path), lived(t, path)
	if err := live.Swap(one); err != nil {
		t.Fatal(err)
	}
	s, release := live.Acquire()
	if err := live.Swap(two); err != nil {
		t.Fatal(err)
	}
	if s != one || one.Size() == 0 || len(s.Search(Query{Text: "orders"}).Hits) == 0 {
		t.Error("the index that a reader holds is closed")
	}
	now, later := live.Acquire()
	if now != two {
		t.Error("the index before is current after a swap")
	}
	release()
	release()
	later()
	if err := errors.Join(live.Close(), live.Close()); err != nil {
		t.Fatal(err)
	}
	if one.Size() != 0 {
		t.Error("the replaced index is still open after its last reader")
	}
	if left, _ := live.Acquire(); two.Size() != 0 || left != nil {
		t.Error("the current index is still there after Close")
	}
	late := lived(t, path)
	if err := live.Swap(late); err != nil {
		t.Fatal(err)
	}
	if late.Size() != 0 {
		t.Error("an index that comes after Close is kept")
	}
}

// Close returns only when nobody reads any more.
func TestLiveCloseWaitsForReaders(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	one := lived(t, path)
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

// Readers search while segments are swapped: none fails, none sees freed memory.
func TestLiveUnderSwaps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	var live Live
	if err := live.Swap(lived(t, path)); err != nil {
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
				x, release := live.Acquire()
				if x == nil || len(x.Search(Query{Text: "customer orders"}).Hits) == 0 {
					t.Error("a reader found nothing during a swap")
				}
				release()
			}
		})
	}
	for range 12 {
		if err := live.Swap(lived(t, path)); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	wg.Wait()
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
}

// A segment is freed by the last of those who have it, in whatever order.
func TestSegmentsAreShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opened := func(name string) *Segment {
		write(t, filepath.Join(dir, name), name, shop)
		s, err := Open(filepath.Join(dir, name), analyzer)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	kept, dropped := opened("kept"), opened("dropped")
	before := NewIndex(analyzer, kept, dropped)
	after := NewIndex(analyzer, kept)
	if err := errors.Join(dropped.Close(), dropped.Close()); err != nil || dropped.Size() == 0 {
		t.Errorf("a segment that an index has is %d bytes, %v", dropped.Size(), err)
	}
	if err := before.Close(); err != nil || dropped.Size() != 0 {
		t.Errorf("a segment that nobody has is %d bytes, %v", dropped.Size(), err)
	}
	if err := errors.Join(before.Close(), kept.Close(), kept.Close()); err != nil {
		t.Fatal(err)
	}
	if len(after.Search(Query{Text: "orders"}).Hits) == 0 {
		t.Error("a segment that an index has is freed")
	}
	if err := after.Close(); err != nil || kept.Size() != 0 {
		t.Errorf("after the last close: %d bytes, %v", kept.Size(), err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an index of a freed segment")
		}
	}()
	NewIndex(analyzer, kept)
}
