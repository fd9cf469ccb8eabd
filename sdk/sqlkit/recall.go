package sqlkit

import (
	"crypto/sha256"
	"sync"
)

// maxRecalled bounds the statements that a Recall remembers.
const maxRecalled = 256

// Recall remembers something about the statements of a session, by their text:
// what the columns were, say, or which of them must come as text the next time.
// When there are too many the others are forgotten, so that it is only for what
// the next run can find out again. The zero value is ready.
// Concurrency: safe for several goroutines.
type Recall[V any] struct {
	mu     sync.Mutex
	values map[[sha256.Size]byte]V
}

// Get returns what is remembered of a statement, or the zero value.
func (r *Recall[V]) Get(sql string) (v V, ok bool) {
	key := sha256.Sum256([]byte(sql))
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok = r.values[key]
	return v, ok
}

// Put remembers v, which must not be changed any more.
func (r *Recall[V]) Put(sql string, v V) {
	key := sha256.Sum256([]byte(sql))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.values[key]; r.values == nil || len(r.values) >= maxRecalled && !known {
		r.values = map[[sha256.Size]byte]V{}
	}
	r.values[key] = v
}

// Forget forgets a statement.
func (r *Recall[V]) Forget(sql string) {
	key := sha256.Sum256([]byte(sql))
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.values, key)
}
