package indexer

import "testing"

// The memory that making segments took is returned to the system also when newer looks interrupted the work, so that no
// part of it was large; and an edit, which makes one segment again, returns nothing.
func TestInterruptedWorkReturnsMemory(t *testing.T) {
	t.Parallel()
	p := newProject(t, "a", "b", "c")
	for _, id := range []string{"a", "b", "c"} {
		p.scan(id, nil, table("s.orders", "id"), table("s."+id, "id"))
	}
	h := p.host()
	h.large = 5 // all three connections, of two tables each
	returned := 0
	interrupt := true
	hook := func(at string) {
		switch at {
		case "returned":
			returned++
		case "written":
			if !interrupt {
				return
			}
			seen, err := h.look(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			again := *seen
			again.round = h.round.Add(1)
			h.want(&again)
		}
	}
	h.hook.Store(&hook)
	h.current()
	if returned != 1 {
		t.Errorf("memory was returned %d times for six tables in three interrupted parts, want once", returned)
	}
	interrupt = false
	for _, name := range []string{"one", "two", "three", "four", "five"} {
		p.scan("a", nil, table("s.orders", "id"), table("s."+name, "id"))
		h.current()
	}
	if returned != 1 {
		t.Errorf("after five edits of two tables it was returned %d times", returned)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
