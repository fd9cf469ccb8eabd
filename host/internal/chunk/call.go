package chunk

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/store"
)

// keepCalls is how long the answers of named calls are stored.
const keepCalls = 7 * 24 * time.Hour

// Call is a call that named itself, with its answer.
type Call struct {
	// ID is unique among callers and names.
	ID string
	// Arguments is the hash of its arguments.
	Arguments Hash
	Answer    []byte // JSON
}

// Answered stores the answer of a call, or a new one. Answers are deleted after a week.
func (e *Engine) Answered(ctx context.Context, c *Call) error {
	s, err := e.store.Get(ctx)
	if err != nil {
		return err
	}
	now := e.now()
	return s.PutChunkCall(ctx, &store.ChunkCall{ID: c.ID, Digest: c.Arguments[:], Answer: c.Answer, At: now}, now.Add(-keepCalls))
}

// Call returns the call with an ID; nil = there is none.
func (e *Engine) Call(ctx context.Context, id string) (*Call, error) {
	if !e.Began() {
		return nil, nil
	}
	s, err := e.store.Get(ctx)
	if err != nil {
		return nil, err
	}
	row, err := s.ChunkCall(ctx, id)
	if err != nil || row == nil {
		return nil, err
	}
	c := &Call{ID: row.ID, Answer: row.Answer}
	copy(c.Arguments[:], row.Digest)
	return c, nil
}
