package health

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
)

// Remembered counts the texts and changes of the memory that wait.
type Remembered struct{ memory.Waiting }

// Remembered counts what waits. It does not create a missing state store.
func (s *Service) Remembered(ctx context.Context) (*Remembered, error) {
	w, err := s.config.Memory.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	return &Remembered{w}, nil
}

// Text summarises what waits; "" = nothing.
func (r *Remembered) Text(now time.Time) string {
	if r == nil {
		return "unknown"
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{r.Queued, text.Count(r.Queued, "text") + " queued"},
		{r.Pending, text.Count(r.Pending, "change") + " for a person to decide"},
		{r.Drafts, text.Count(r.Drafts, "draft") + " not reviewed"},
		{r.Failed, text.Count(r.Failed, "text") + " failed"},
	} {
		if p.n > 0 {
			parts = append(parts, p.what)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	said := strings.Join(parts, ", ")
	if r.Oldest != nil {
		said += fmt.Sprintf("; the first waits for %s", text.Elapsed(now.Sub(*r.Oldest)))
	}
	return said
}

// memory looks at what waits of what the project was told.
func (k *check) memory(ctx context.Context) {
	const subject = "remembered"
	r, err := k.service.Remembered(ctx)
	if err != nil {
		k.found(subject, "", err)
		return
	}
	said := r.Text(time.Now())
	switch {
	case r.Failed > 0:
		k.warn(subject, said, "loam runs list names the texts that failed, loam ingest retry <run> runs one again")
	case r.Queued > 0:
		k.warn(subject, said, "loam mcp start, or any loam ingest text, works on the queue")
	case said == "":
		k.found(subject, "nothing waits", nil)
	default:
		k.found(subject, said+"; loam review lists them", nil)
	}
}
