package job

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// maxRead is the most bytes of an artifact in one answer.
const maxRead = 64 << 10

// ArtifactsRequest names a scan, or the connection whose last snapshot is asked for.
type ArtifactsRequest struct {
	RunID      string
	Connection connection.ID
}

// Artifacts are what a scan made.
type Artifacts struct {
	ConnectionID connection.ID `json:"connectionId"`
	SyncID       string        `json:"syncId"`
	Artifacts    []Artifact    `json:"artifacts"`
	Total        int           `json:"total"`
}

// Artifact is a text with a name. Units: Bytes are those of the whole text.
type Artifact struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"` // json, or jsonl: a document in each line
	Bytes int64  `json:"bytes"`
}

// Part is a part of an artifact. What it says comes from the warehouse: it is data.
type Part struct {
	Artifact
	Offset  int64  `json:"offset"`
	Content string `json:"content"`
	// NextOffset is where the next part begins; nil = this is the last one.
	NextOffset *int64 `json:"nextOffset"`
	Trust      string `json:"trust"`
}

// scanned is the snapshot of a request.
type scanned struct {
	id       connection.ID
	snapshot *catalog.Snapshot
	before   *catalog.Snapshot // nil = none is kept
	report   json.RawMessage   // nil = the request names no run
}

// artifacts are the writers of all artifacts, by name.
var artifacts = []struct {
	name, kind string
	there      func(*scanned) bool
	write      func(context.Context, *scanned, *json.Encoder) error
}{
	{"diff", "json", func(s *scanned) bool { return s.before != nil }, writeDiff},
	{"report", "json", func(s *scanned) bool { return s.report != nil }, func(_ context.Context, s *scanned, e *json.Encoder) error { return e.Encode(s.report) }},
	{"snapshot", "json", func(*scanned) bool { return true }, func(_ context.Context, s *scanned, e *json.Encoder) error { return e.Encode(s.snapshot.Identity) }},
	{"tables", "jsonl", func(*scanned) bool { return true }, writeTables},
}

// ListArtifacts lists the artifacts of a scan by name.
// Errors: KindInvalid unless one of run and connection is named; KindNotFound, also for a scan without a
// snapshot, or whose snapshot is not kept any more.
func (s *Service) ListArtifacts(ctx context.Context, r ArtifactsRequest) (*Artifacts, error) {
	of, err := s.scanned(ctx, r)
	if err != nil {
		return nil, err
	}
	out := &Artifacts{ConnectionID: of.id, SyncID: of.snapshot.SyncID, Artifacts: []Artifact{}}
	for _, a := range artifacts {
		if !a.there(of) {
			continue
		}
		var w window
		if err := a.write(ctx, of, encoder(&w)); err != nil {
			return nil, err
		}
		out.Artifacts = append(out.Artifacts, Artifact{a.name, a.kind, w.size})
	}
	out.Total = len(out.Artifacts)
	return out, nil
}

// ReadArtifact returns at most 64 KiB of an artifact from an offset on.
// Errors: those of ListArtifacts; KindNotFound for a name, KindInvalid for an offset beyond the end.
func (s *Service) ReadArtifact(ctx context.Context, r ArtifactsRequest, name string, offset int64) (*Part, error) {
	of, err := s.scanned(ctx, r)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, a := range artifacts {
		if !a.there(of) {
			continue
		}
		if names = append(names, a.name); a.name != name {
			continue
		}
		w := window{from: offset}
		if err := a.write(ctx, of, encoder(&w)); err != nil {
			return nil, err
		}
		if offset < 0 || offset >= w.size {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s has %d bytes; the offset is %d", name, w.size, offset).WithHint("follow nextOffset from offset 0")
		}
		out := &Part{Artifact: Artifact{a.name, a.kind, w.size}, Offset: offset, Content: w.text(), Trust: "imported"}
		if next := offset + int64(len(out.Content)); next < w.size {
			out.NextOffset = &next
		}
		return out, nil
	}
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no artifact %q", name).WithHint("one of %s", strings.Join(names, ", "))
	e.Candidates = names
	return nil, e
}

// scanned finds the snapshot of a request.
func (s *Service) scanned(ctx context.Context, r ArtifactsRequest) (*scanned, error) {
	if (r.RunID == "") == (r.Connection == "") {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "name either a run or a connection").WithHint("pass runId for that scan, or connectionId for the last one")
	}
	out := &scanned{id: r.Connection}
	var sync string
	if r.RunID != "" {
		of, err := s.follow(ctx, Follow{RunID: r.RunID, Kind: run.Scan})
		if err != nil {
			return nil, err
		}
		var report struct{ SyncID string }
		if of.Report == nil || json.Unmarshal(of.Report, &report) != nil || report.SyncID == "" {
			return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "run %s made no snapshot: it is %s", of.ID, of.State).WithHint("see loam runs show %s", of.ID)
		}
		out.id, out.report, sync = connection.ID(of.Target), of.Report, report.SyncID
	}
	all, err := s.Connections(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := all.Get(out.id); err != nil {
		return nil, err
	}
	c := s.Catalogs.Of(string(out.id))
	history, err := c.History() // the latest first
	if err != nil {
		return nil, err
	}
	at := 0
	if sync != "" {
		at = slices.IndexFunc(history, func(i catalog.Identity) bool { return i.SyncID == sync })
	}
	if at < 0 || at >= len(history) {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no snapshot %s of connection %s", cmp.Or(sync, "at all"), out.id).WithHint("scan it: loam scan %s", out.id)
	}
	if out.snapshot, err = c.Snapshot(history[at].SyncID); err != nil {
		return nil, err
	}
	if at+1 < len(history) {
		out.before, err = c.Snapshot(history[at+1].SyncID)
	}
	return out, err
}

func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// window keeps the part of a text from an offset on, and counts all of it.
type window struct {
	from, size int64
	kept       []byte
}

func (w *window) Write(text []byte) (int, error) {
	n := len(text)
	if skip := w.from - w.size; skip < int64(n) && len(w.kept) <= maxRead {
		w.kept = append(w.kept, text[max(0, skip):]...)
		w.kept = w.kept[:min(len(w.kept), maxRead+1)]
	}
	w.size += int64(n)
	return n, nil
}

// text returns what was kept, without half a character at its end.
func (w *window) text() string {
	kept := w.kept
	if len(kept) > maxRead {
		end := maxRead
		for end > 0 && !utf8.RuneStart(kept[end]) {
			end--
		}
		kept = kept[:end]
	}
	return strings.ToValidUTF8(string(kept), "\uFFFD") // an offset within a character
}
