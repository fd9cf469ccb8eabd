package collect

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// The limits of one sync: changes proposed, time of planning, measures run. The next sync does the rest.
// Source: the specification of memory, section 9.
const (
	maxChanges  = 200
	maxPlanning = 60 * time.Second
	// pushPlanning is that of a push, whose caller waits.
	pushPlanning = 10 * time.Second
	maxProbes    = 20
	// maxLesson is the largest file that the memory learns from: the limit of an ingested text.
	maxLesson = 256 << 10
)

// Learned counts what the memory learned from the files of a sync. Pending changes wait for a person; Conflicts are
// those of them that contradict something.
type Learned struct {
	Pending   int `json:"pending"`
	Conflicts int `json:"conflicts"`
	// Later counts the files that the next sync has to learn from.
	Later int `json:"later,omitempty"`
}

// lesson is a file to learn from.
type lesson struct {
	key  chunk.Key
	hash chunk.Hash
	text func() (text string, ok bool) // see entry
}

// teaches reports whether the memory learns from files of this name.
func teaches(name string) bool {
	return slices.Contains([]string{".md", ".markdown", ".sql", ".yaml", ".yml"}, strings.ToLower(path.Ext(name)))
}

// learn passes each new or changed file to the memory. Proposed changes wait for a person. It records each file that
// is done, so that the sync after an interrupted one continues there.
func (j *job) learn(ctx context.Context) {
	if !j.request.Learn {
		return
	}
	j.answer.Learned = &Learned{}
	began, probes := j.service.config.Now(), 0
	large := 0
	for i, l := range j.lessons {
		j.report("learn", "files", i, len(j.lessons))
		room := maxChanges - j.answer.Learned.Pending
		if ctx.Err() != nil || room <= 0 || j.service.config.Now().Sub(began) >= cmp.Or(j.request.planning, maxPlanning) {
			j.answer.Learned.Later += len(j.lessons) - i
			break
		}
		content, ok := l.text()
		if !ok { // it changed since it was collected
			j.answer.Learned.Later++
			continue
		}
		out, err := chunk.Taught{}, error(nil)
		if len(content) > maxLesson {
			large++
		} else {
			out, err = j.service.config.Learn(ctx, chunk.Lesson{
				Name: j.name(l.key), Text: content, Connection: j.connection, By: j.request.By, Changes: room, Probes: maxProbes - probes, DryRun: j.request.DryRun,
			})
		}
		if err != nil {
			j.fault(codeParse, l.key.Path, err)
			if stops(err) {
				j.answer.Learned.Later += len(j.lessons) - i - 1
				break
			}
			continue
		}
		probes += out.Probes
		j.answer.Learned.Pending += out.Pending
		j.answer.Learned.Conflicts += out.Conflicts
		if out.Left > 0 {
			j.answer.Learned.Later++
			continue
		}
		if err := j.learned(ctx, l.key, l.hash); err != nil {
			j.fault(codeParse, l.key.Path, err)
			break
		}
	}
	if large > 0 {
		j.note("%s over 256 KiB can be found, but nothing is learned from that", text.Count(large, "file"))
	}
}

// stops reports whether the remaining files would fail with the same error.
func stops(err error) bool {
	switch sdk.KindOf(err) {
	case sdk.KindDenied, sdk.KindUnavailable, sdk.KindConflict, sdk.KindNotFound, sdk.KindCanceled:
		return true
	}
	return false
}

func (j *job) name(k chunk.Key) string { return j.request.Repo + "/" + k.Path }

func (j *job) learned(ctx context.Context, k chunk.Key, text chunk.Hash) error {
	if j.request.DryRun {
		return nil
	}
	j.service.step("learned")
	return j.service.config.Chunks.Learned(ctx, j.request.Repo, k, text)
}

// forget withdraws the pending changes from the previous content of a file.
func (j *job) forget(ctx context.Context, k chunk.Key) error {
	if j.request.DryRun {
		return nil
	}
	if err := j.service.config.Forget(ctx, j.name(k), j.request.By); err != nil {
		return err
	}
	return j.learned(ctx, k, chunk.Hash{})
}
