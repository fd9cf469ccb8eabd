package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

var agent = change.Actor{Channel: change.MCP, Client: "test"}

// request reads a push as a client writes it.
func (f *fixture) request(text string) PushRequest {
	f.t.Helper()
	var in struct {
		Files, Deleted             []json.RawMessage
		ManifestSnapshot           json.RawMessage
		BaseRevision, HeadRevision string
		TenantID, ClientID, Repo   string
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		f.t.Fatal(err)
	}
	r := PushRequest{
		Repo: in.Repo, Files: in.Files, Deleted: in.Deleted, Manifest: in.ManifestSnapshot, Base: in.BaseRevision, Head: in.HeadRevision,
		Tenant: in.TenantID, ClientID: in.ClientID, By: agent,
	}
	if r.Repo == "" {
		r.Repo = f.repo
	}
	return r
}

func (f *fixture) push(text string) *Answer {
	f.t.Helper()
	a, err := f.Push(f.t.Context(), f.request(text))
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

// faults renders the faults of an answer: code and path.
func faults(a *Answer) (all []string) {
	for _, e := range a.Errors {
		path := "-"
		if e.Path != nil {
			path = *e.Path
		}
		all = append(all, e.Code+" "+path)
	}
	return all
}

func revision(a *Answer) string {
	if a.Revision == nil {
		return "none"
	}
	return *a.Revision
}

func TestPush(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const files = `"files":[{"path":"a.md","content":"# A\nhunter2\n"},{"sourcePath":"b.x","content":"SELECT 1;\nSELECT 2;","parserId":"sql"},
		{"path":"c.proto","parser":"proto","parsedChunks":[{"content":"message A","name":"A","line_start":3},{"content":"hunter2","name":"B","lineStart":5,"lineEnd":9}]},
		{"schemaVersion":"1.0.0","tenantId":"shop-project","repoSlug":"handbook","rootKind":"bare-repo","sourcePath":"d.x","content":"one","hashInputs":["content"],
		 "parserId":"x","parserVersion":"2.1.0","kind":"k","name":"D.one","line_start":1,"line_end":2,"className":"D","extends":"E","customMeta":{"a":1}},
		{"schema_version":"1.0.0","source_path":"d.x","content":"two","parser_id":"x","parser_version":"2.1.0","name":"D.two"}]`
	a := f.push(`{` + files + `,"headRevision":"r1"}`)
	f.expect(a, "ingested 4, unchanged 0, deleted 0, errors 0, skipped map[]")
	if a.TenantID != "shop-project" || a.EmbeddingsGenerated != 0 || revision(a) != "r1" || a.Redacted != 2 {
		t.Errorf("%+v", a)
	}
	for path, want := range map[string]string{
		"a.md": "1-2 # A\n[redacted]", "b.x": "1-1 SELECT 1;|2-2 SELECT 2;", "c.proto": "3-3 message A|5-9 [redacted]", "d.x": "1-2 one|0-0 two",
	} {
		if got := f.text(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	// Twice is once, also for a client that did not get the answer, and without the revisions.
	f.expect(f.push(`{`+files+`,"baseRevision":"r0","headRevision":"r1"}`), "ingested 0, unchanged 4, deleted 0, errors 0, skipped map[]")
	if a := f.push(`{` + files + `}`); a.Unchanged != 4 || revision(a) == "r1" || len(revision(a)) != 32 {
		t.Errorf("without a head: %+v", a)
	}
	// A rename is a deletion and an addition; what is not there is no fault.
	a = f.push(`{"files":[{"path":"z.md","content":"# A\nhunter2\n"}],"deleted":["a.md",{"sourcePath":"b.x","repoSlug":"handbook"},{"path":"never"}]}`)
	f.expect(a, "ingested 1, unchanged 0, deleted 2, errors 0, skipped map[]")
	if diff := cmp.Diff([]string{"c.proto", "d.x", "z.md"}, f.kept()); diff != "" {
		t.Error(diff)
	}
	// Another version of the client's parser is another file; a text of the server's parser stays beside it.
	f.expect(f.push(`{"files":[{"path":"c.proto","parser":"proto","parserVersion":"1.0.1","parsedChunks":[{"content":"message A","name":"A","lineStart":3},{"content":"hunter2","name":"B","lineStart":5,"lineEnd":9}]}]}`),
		"ingested 1, unchanged 0, deleted 0, errors 0, skipped map[]")
	f.push(`{"files":[{"path":"z.md","content":"raw","parser":"raw-text"}]}`)
	if got := f.text("z.md"); got != "1-2 # A\n[redacted]|1-1 raw" {
		t.Errorf("two parsers: %q", got)
	}
}

// TestItemFaults: each faulty item is a fault with its code, the other ones are stored, and the revision stays.
func TestItemFaults(t *testing.T) {
	t.Parallel()
	const record = `"schemaVersion":"1.0.0","sourcePath":"p","content":"x","parserId":"x","parserVersion":"1.0.0","name":"n"`
	f := newFixture(t)
	for i, tt := range []struct{ push, want string }{
		{`"files":[1]`, codeFile + " -"},
		{`"files":[{"path":"p"}]`, codeFile + " p"},
		{`"files":[{"content":"x"}]`, codeFile + " -"},
		{`"files":[{"path":"../p","content":"x"}]`, codeFile + " -"},
		{`"files":[{"path":"/p","content":"x"}]`, codeFile + " -"},
		{`"files":[{"path":"a\u202ep","content":"x"}]`, codeFile + " -"},
		{`"files":[{"path":"` + strings.Repeat("p", maxPath+1) + `","content":"x"}]`, codeFile + " -"},
		{`"files":[{"path":"p","sourcePath":"q","content":"x"}]`, codeFile + " p"},
		{`"files":[{"path":"p","content":"x","parser":"sql","parserId":"markdown"}]`, codeFile + " p"},
		{`"files":[{"path":"p","content":"x","repoSlug":"other"}]`, codeFile + " p"},
		{`"files":[{"path":"p","content":"x","colour":"red"}]`, codeFile + " p"},
		{`"files":[{"path":"p","content":1}]`, codeFile + " p"},
		{`"files":[{"path":"p","source_path":"p","sourcePath":"p","content":"x"}]`, codeFile + " p"},
		{`"files":[{"path":"p","content":"x"},{"path":"p","content":"y"}]`, codeFile + " p"},
		{`"files":[{"path":"p","parsedChunks":[]}]`, codeFile + " p"},
		{`"files":[{"path":"p","content":"x","parsedChunks":[{"content":"x"}]}]`, codeFile + " p"},
		{`"files":[{"path":"p","content":"a\u0000b"}]`, codeParse + " p"},
		{`"files":[{"path":"p","content":"x","parser":"markdwon"}]`, codeParser + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":["x"]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"content":" "}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"name":"n"}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"content":"ok"},{"content":"a\u0000"}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"content":"x","colour":"red"}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"content":"x","lineEnd":3}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"content":"x","lineStart":3,"lineEnd":2}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"content":"x","name":"` + strings.Repeat("n", maxName+1) + `"}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"content":"` + strings.Repeat("x", maxChunk+1) + `"}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"content":"x","sourcePath":"q"}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parser":"x y","parsedChunks":[{"content":"x"}]}]`, codeChunk + " p"},
		{`"files":[{"path":"p","parsedChunks":[{"content":"x"}]}]`, codeChunk + " p"},
		{`"files":[{` + strings.Replace(record, `"schemaVersion":"1.0.0"`, `"schemaVersion":"2.0.0"`, 1) + `}]`, codeChunk + " p"},
		{`"files":[{` + strings.Replace(record, `"parserVersion":"1.0.0",`, "", 1) + `}]`, codeChunk + " p"},
		{`"files":[{` + record + `},{` + strings.Replace(record, `"parserVersion":"1.0.0"`, `"parserVersion":"1.0.1"`, 1) + `}]`, codeChunk + " p"},
		{`"files":[{` + record + `,"embedding":[0.1]}]`, codeEmbedding + " p"},
		{`"files":[{` + record + `},{` + record + `,"embedding":[0.1]}]`, codeEmbedding + " p"},
		{`"files":[{"path":"p","parser":"x","parsedChunks":[{"content":"x","embedding":[]}]}]`, codeEmbedding + " p"},
		{`"deleted":["../x"]`, codeTombstone + " -"},
		{`"deleted":[{"sourcePath":"old.md","repoSlug":"other"}]`, codeTombstone + " old.md"},
		{`"deleted":[{}]`, codeTombstone + " -"},
		{`"deleted":[7]`, codeTombstone + " -"},
		{`"deleted":["ok.md"]`, codeTombstone + " ok.md"},
		{`"manifestSnapshot":{"repoSlug":"other","pathsAfterPush":[]}`, codeManifest + " -"},
		{`"manifestSnapshot":{"repoSlug":"handbook"}`, codeManifest + " -"},
		{`"manifestSnapshot":{"repoSlug":"handbook","pathsAfterPush":["/a"]}`, codeManifest + " -"},
		{`"manifestSnapshot":[]`, codeManifest + " -"},
		{`"baseRevision":"not this"`, codeBoundary + " -"},
		{`"headRevision":"a\nb"`, codeBoundary + " -"},
		{`"headRevision":"` + strings.Repeat("r", maxName+1) + `"`, codeBoundary + " -"},
	} {
		name := tt.push[:min(len(tt.push), 80)]
		f.repo = fmt.Sprintf("handbook%d", i)
		f.push(`{"files":[{"path":"old.md","content":"old"}],"headRevision":"r1"}`)
		text := `{` + tt.push + `,"files":[{"path":"ok.md","content":"fine"}]}`
		if rest, ok := strings.CutPrefix(tt.push, `"files":[`); ok {
			text = `{"files":[{"path":"ok.md","content":"fine"},` + rest + `}`
		}
		a := f.push(strings.ReplaceAll(text, `"handbook"`, `"`+f.repo+`"`))
		if diff := cmp.Diff([]string{tt.want}, faults(a)); diff != "" {
			t.Errorf("%s: %s%+v", name, diff, a.Errors)
		}
		if a.Ingested != 1 || revision(a) != "r1" || f.text("ok.md") != "1-1 fine" || f.text("p") != "" || f.text("old.md") == "" {
			t.Errorf("%s: %s, revision %s, kept %q", name, counts(a), revision(a), f.kept())
		}
	}
}

func TestVolumeGate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	many := func(n int, item string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(item, "$", fmt.Sprint(i)))
		}
		return strings.Join(all, ",")
	}
	raw := `{"path":"$.txt","content":"x"}`
	text := func(bytes int) string {
		return `{"files":[{"path":"a","content":"` + strings.Repeat("x", bytes/2) + `"},{"path":"b","parser":"x","parsedChunks":[` +
			many(16, `{"content":"`+strings.Repeat("y", bytes/32)+`"}`) + `]}]}`
	}
	for name, tt := range map[string]struct {
		push       string
		unit       string // "" = it passes
		size, most int
	}{
		"50 files":                 {`{"files":[` + many(50, raw) + `]}`, "", 0, 0},
		"51 files":                 {`{"files":[` + many(51, raw) + `]}`, "chunks", 51, 50},
		"50 chunks and a file":     {`{"files":[` + raw + `,{"path":"p","parser":"x","parsedChunks":[` + many(50, `{"content":"$"}`) + `]}]}`, "chunks", 51, 50},
		"51 faulty items":          {`{"files":[` + many(51, "1") + `]}`, "chunks", 51, 50},
		"statements of one file":   {`{"files":[{"path":"a.sql","content":"` + strings.Repeat(`SELECT 1;\n`, 50) + `"}]}`, "", 0, 0},
		"a statement more":         {`{"files":[{"path":"a.sql","content":"` + strings.Repeat(`SELECT 1;\n`, 51) + `"}]}`, "chunks", 51, 50},
		"bytes more than 1 MiB":    {text(MaxPushBytes + 32), "bytes", MaxPushBytes + 32, MaxPushBytes},
		"1 MiB is too many chunks": {text(MaxPushBytes), "chunks", 128 + 16, 50},
	} {
		before := f.kept()
		_, err := f.Push(t.Context(), f.request(tt.push))
		if tt.unit == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		refused, ok := errors.AsType[*Refusal](err)
		if !ok || sdk.KindOf(err) != sdk.KindLimit {
			t.Errorf("%s: %v", name, err)
			continue
		}
		bulk := "loam ingest files --repo handbook --project-dir " + f.dir + "/project ."
		want := volume{Code: codeVolume, Error: codeVolume, BulkPath: bulk, Unit: tt.unit, BatchSize: tt.size, Threshold: tt.most}
		if diff := cmp.Diff(want, refused.Details()); diff != "" || !strings.Contains(refused.Text(), bulk) {
			t.Errorf("%s: %s\n%s", name, diff, refused.Text())
		}
		if diff := cmp.Diff(before, f.kept()); diff != "" {
			t.Errorf("%s wrote: %s", name, diff)
		}
	}
	// Of a push that will be refused, only the first items are read: each is compared with those before it.
	large := f.request(`{"files":[` + many(5_000, raw) + `]}`)
	if p := f.read(&large); p.chunks != 5_000 || len(p.files) != MaxPushChunks {
		t.Errorf("of 5,000 files %d were counted and %d read", p.chunks, len(p.files))
	}
	// A caller on another machine sees no path of this one.
	ctx := caller.With(t.Context(), &caller.Caller{Transport: caller.HTTP})
	if _, err := f.Push(ctx, f.request(`{"files":[`+many(51, raw)+`]}`)); err == nil || strings.Contains(sdk.AsError(err, sdk.SourceHost).Hint, f.dir) {
		t.Errorf("over HTTP: %v", err)
	}
}

func TestPushIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("docs/a.md", "a")
	f.sync(Request{Connection: "crm"})
	only := caller.With(t.Context(), &caller.Caller{Transport: caller.HTTP, Grant: caller.Grant{Connections: []string{"shop"}}})
	f.push(`{"repo":"calls","clientId":"taken"}`)
	for name, tt := range map[string]struct {
		ctx  context.Context
		push string
		kind sdk.Kind
		code string
	}{
		"a name that is none":            {t.Context(), `{"repo":"../x"}`, sdk.KindInvalid, ""},
		"another tenant":                 {t.Context(), `{"tenantId":"other"}`, sdk.KindDenied, codeSpoof},
		"a record of another tenant":     {t.Context(), `{"files":[{"schemaVersion":"1.0.0","tenantId":"other","sourcePath":"p","content":"x","parserId":"x","parserVersion":"1.0.0"}]}`, sdk.KindDenied, codeSpoof},
		"a chunk of another tenant":      {t.Context(), `{"files":[{"path":"p","parser":"x","parsedChunks":[{"content":"x","tenantId":"other"}]}]}`, sdk.KindDenied, codeSpoof},
		"another connection's files":     {only, `{"deleted":["a.md"]}`, sdk.KindDenied, ""},
		"too long a clientId":            {t.Context(), `{"clientId":"` + strings.Repeat("x", 65) + `"}`, sdk.KindInvalid, ""},
		"the clientId of something else": {t.Context(), `{"repo":"calls","clientId":"taken","headRevision":"r2"}`, sdk.KindConflict, ""},
	} {
		_, err := f.Push(tt.ctx, f.request(tt.push))
		e := sdk.AsError(err, sdk.SourceHost)
		if err == nil || e.Kind != tt.kind || e.Code != tt.code || e.Hint == "" {
			t.Errorf("%s: %+v", name, e)
		}
		if tt.code != "" {
			refused, _ := errors.AsType[*Refusal](err)
			if details, err := json.Marshal(refused.Details()); err != nil || string(details) != `{"code":"`+tt.code+`"}` {
				t.Errorf("%s: %s %v", name, details, err)
			}
		}
	}
	if diff := cmp.Diff([]string{"a.md"}, f.kept()); diff != "" {
		t.Error(diff)
	}
	f.expect(f.push(`{"tenantId":"shop-project"}`), "ingested 0, unchanged 0, deleted 0, errors 0, skipped map[]")
}

// TestManifest: a manifest deletes what it does not name, but nothing that is newer than itself, and nothing from another
// revision.
func TestManifest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	now := time.Unix(1000, 0)
	f.chunks = f.engine(func() time.Time { return now })
	f.config.Chunks, f.config.Now = f.chunks, func() time.Time { return now }
	f.push(`{"files":[{"path":"a","content":"a"},{"path":"b","content":"b"},{"path":"c","content":"c"}],"headRevision":"r1"}`)
	now = now.Add(time.Second)
	f.push(`{"files":[{"path":"new","content":"new"}],"headRevision":"r2"}`)
	const manifest = `"manifestSnapshot":{"repoSlug":"handbook","pathsAfterPush":["a"]}`
	a := f.push(`{` + manifest + `,"deleted":["c"],"files":[{"path":"d","content":"d"}],"baseRevision":"r1","headRevision":"r3"}`)
	if diff := cmp.Diff([]string{codeBoundary + " -"}, faults(a)); diff != "" || revision(a) != "r2" || a.Deleted != 0 || a.Ingested != 1 {
		t.Errorf("from another revision: %s %+v", diff, a)
	}
	f.config.Now = func() time.Time { return time.Unix(1000, 0) } // the push waited since then
	f.expect(f.push(`{`+manifest+`,"files":[{"path":"b2","content":"b"}]}`), "ingested 1, unchanged 0, deleted 2, errors 0, skipped map[]")
	if diff := cmp.Diff([]string{"a", "b2", "d", "new"}, f.kept()); diff != "" {
		t.Error(diff)
	}
	f.config.Now = func() time.Time { return now }
	f.expect(f.push(`{`+manifest+`}`), "ingested 0, unchanged 0, deleted 3, errors 0, skipped map[]")
	f.push(`{"repo":"other","files":[{"path":"b","content":"b"}]}`)
	f.expect(f.push(`{"manifestSnapshot":{"repoSlug":"handbook","pathsAfterPush":[]}}`), "ingested 0, unchanged 0, deleted 1, errors 0, skipped map[]")
	if _, kept, err := f.chunks.Repo(t.Context(), "other"); err != nil || len(kept) != 1 {
		t.Errorf("another repository has %d files: %v", len(kept), err)
	}
}

func TestNamedCall(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const text = `{"files":[{"path":"a","content":"a"},1],"clientId":"c1"}`
	first := f.push(text)
	f.push(`{"deleted":["a"]}`)
	reconnected := f.request(text)
	reconnected.By.Session = "another"
	again, err := f.Push(t.Context(), reconnected)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Repeated || first.Repeated {
		t.Errorf("repeated: %t, then %t", first.Repeated, again.Repeated)
	}
	again.Repeated = false
	if diff := cmp.Diff(first, again, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the answer (-first +again):\n%s", diff)
	}
	if len(f.kept()) != 0 {
		t.Errorf("it was done again: %q", f.kept())
	}
	r := f.request(text)
	r.By.Client = "another"
	if a, err := f.Push(t.Context(), r); err != nil || a.Repeated || a.Ingested != 1 {
		t.Errorf("of another client: %+v %v", a, err)
	}
}

// TestPushTeaches: what is pushed teaches and is forgotten as what a folder holds.
func TestPushTeaches(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.always = []string{"handbook"}
	f.push(`{"files":[{"path":"a.md","content":"ARR is revenue."},{"path":"b.md","parser":"x","parsedChunks":[{"content":"one"},{"content":"two"}]},{"path":"c.txt","content":"x"}]}`)
	var got []string
	for _, l := range f.lessons {
		got = append(got, l.Name+": "+l.Text)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"handbook/a.md: ARR is revenue.", "handbook/b.md: one\n\ntwo\n\n"}, got); diff != "" {
		t.Error(diff)
	}
	f.push(`{"deleted":["a.md"]}`)
	if diff := cmp.Diff([]string{"handbook/a.md"}, f.forgot); diff != "" {
		t.Error(diff)
	}
	f.learn = func(chunk.Lesson) (chunk.Taught, error) {
		return chunk.Taught{}, sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "late")
	}
	a := f.push(`{"files":[{"path":"d.md","content":"x"}],"headRevision":"r9"}`)
	if diff := cmp.Diff([]string{codeParse + " d.md"}, faults(a)); diff != "" || revision(a) == "r9" {
		t.Errorf("a lesson that fails: %s, revision %s", diff, revision(a))
	}
}

// refusing calls refused when a run is refused because another one is under way.
type refusing struct {
	runner
	refused func()
}

func (r *refusing) Do(ctx context.Context, w run.Work, do do) (run.Run, error) {
	done, err := r.runner.Do(ctx, w, do)
	if sdk.KindOf(err) == sdk.KindConflict {
		r.refused()
	}
	return done, err
}

// TestPushesWait: of two pushes to a repository, of two processes, one waits for the other.
func TestPushesWait(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := open(t, f.dir)
	began, refused := make(chan struct{}), make(chan struct{})
	f.config.Runs = f.engineOfRuns()
	other.config.Runs = &refusing{other.engineOfRuns(), sync.OnceFunc(func() { close(refused) })}
	f.step = func(name string) {
		if name == "write" {
			close(began)
			<-refused
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := f.Push(t.Context(), f.request(`{"files":[{"path":"a","content":"a"}]}`))
		ended <- err
	}()
	<-began
	a, err := other.Push(t.Context(), other.request(`{"files":[{"path":"b","content":"b"}]}`))
	if err := errors.Join(err, <-ended); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, f.kept()); diff != "" || a.Ingested != 1 {
		t.Errorf("%s%+v", diff, a)
	}
}

// TestPushIsOneTransaction ends a push at each of its steps: before it nothing of it is there, after it everything.
func TestPushIsOneTransaction(t *testing.T) {
	t.Parallel()
	type stopped struct{}
	for at := 1; ; at++ {
		dir := t.TempDir()
		f := open(t, dir)
		f.batch = 2
		f.push(`{"files":[{"path":"a","content":"old"},{"path":"b","content":"b"},{"path":"c","content":"c"}],"headRevision":"r1"}`)
		const text = `{"files":[{"path":"a","content":"new"},{"path":"b2","content":"b"},{"path":"c2","content":"c"}],"deleted":["b","c"],"baseRevision":"r1","headRevision":"r2","clientId":"x"}`
		steps, ended := 0, false
		f.step = func(string) {
			if steps++; steps == at {
				panic(stopped{})
			}
		}
		func() {
			defer func() {
				if fault := recover(); fault != nil && fault != (stopped{}) {
					panic(fault)
				}
			}()
			f.push(text)
			ended = true
		}()
		again := open(t, dir)
		if got := strings.Join(again.kept(), " ") + again.text("a"); got != "a b c1-1 old" && got != "a b2 c21-1 new" {
			t.Errorf("stopped at step %d: %s", at, got)
		}
		if a := again.push(text); len(a.Errors) > 0 || revision(a) != "r2" || strings.Join(again.kept(), " ") != "a b2 c2" {
			t.Errorf("again after step %d: %+v, kept %q", at, a, again.kept())
		}
		if ended {
			if at < 4 {
				t.Errorf("there were %d steps", at)
			}
			return
		}
	}
}
