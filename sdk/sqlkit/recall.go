package sqlkit

import (
	"crypto/sha256"
	"sync"
)

// maxRecalled bounds the statements that a Recall remembers.
const maxRecalled = 256

// Recall is a cache by statement text for a session: of the columns of a
// result, say. When it is full all other entries are dropped. The zero value is
// ready.
// Concurrency: safe for several goroutines.
type Recall[V any] struct {
	mu     sync.Mutex
	values map[[sha256.Size]byte]V
}

// Get returns the value of a statement.
func (r *Recall[V]) Get(sql string) (v V, ok bool) {
	key := sha256.Sum256([]byte(sql))
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok = r.values[key]
	return v, ok
}

// Put stores v, which must not be changed any more.
func (r *Recall[V]) Put(sql string, v V) {
	key := sha256.Sum256([]byte(sql))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.values[key]; r.values == nil || len(r.values) >= maxRecalled && !known {
		r.values = map[[sha256.Size]byte]V{}
	}
	r.values[key] = v
}

// Forget removes a statement.
func (r *Recall[V]) Forget(sql string) {
	key := sha256.Sum256([]byte(sql))
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.values, key)
}
