package postgres

import (
	"slices"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// Bounds on what a session remembers of statements.
const (
	maxKnown     = 256
	maxKnownText = 16 << 10
)

// known remembers the fields of statements that were run, so that the next run
// need not ask for them first. It is a guess that the next run's answer proves.
// Concurrency: safe for several goroutines.
type known struct {
	mu     sync.Mutex
	fields map[string][]pgconn.FieldDescription
}

func (k *known) get(sql string) ([]pgconn.FieldDescription, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	fields, ok := k.fields[sql]
	return fields, ok
}

// put remembers a statement; when there are too many, the others are forgotten.
func (k *known) put(sql string, fields []pgconn.FieldDescription) {
	if len(sql) > maxKnownText {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fields == nil || len(k.fields) >= maxKnown {
		k.fields = map[string][]pgconn.FieldDescription{}
	}
	k.fields[sql] = slices.Clone(fields)
}

func (k *known) forget(sql string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.fields, sql)
}
