package change

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// lines is a form whose blocks are the lines of a file.
type lines struct{}

func (lines) Apply(current []byte, blocks []Block) ([]byte, error) {
	all := splitLines(current)
	for _, b := range blocks {
		at := slices.Index(all, b.Before)
		switch {
		case b.After != "" && slices.Contains(all, b.After), b.After == "" && at < 0:
		case b.Before == "":
			all = append(all, b.After)
		case at < 0:
			return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the line %q is not there", b.Before)
		case b.After == "":
			all = slices.Delete(all, at, at+1)
		default:
			all[at] = b.After
		}
	}
	return joinLines(all), nil
}

func (lines) Revert(current []byte, blocks []Block) (after []byte, kept []Block, err error) {
	all := splitLines(current)
	for _, b := range slices.Backward(blocks) {
		at := slices.Index(all, b.After)
		switch {
		case b.After == "" && !slices.Contains(all, b.Before):
			all = append(all, b.Before)
		case b.After == "", at < 0 && (b.Before == "" || slices.Contains(all, b.Before)):
			if b.After == "" {
				kept = append(kept, b)
			}
		case at < 0:
			kept = append(kept, b)
		case b.Before == "":
			all = slices.Delete(all, at, at+1)
		default:
			all[at] = b.Before
		}
	}
	return joinLines(all), kept, nil
}

func splitLines(content []byte) []string {
	if len(content) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}

func joinLines(all []string) []byte {
	if len(all) == 0 {
		return nil
	}
	return []byte(strings.Join(all, "\n") + "\n")
}

const page = "wiki/global/arr.md"

var (
	agent  = Actor{Channel: MCP, Client: "agent"}
	person = Actor{Channel: CLI, User: "ann", Terminal: true}
	start  = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

// project is a project's folder with an engine, and a clock.
type project struct {
	testing.TB
	*Engine
	dir string
	now time.Time
}

func newProject(t testing.TB) *project {
	t.Helper()
	p := &project{TB: t, dir: t.TempDir(), now: start}
	lazy := store.NewLazy(filepath.Join(p.dir, ".loam", "state.db"))
	t.Cleanup(func() {
		if err := lazy.Close(); err != nil {
			t.Error(err)
		}
	})
	p.Engine = New(Config{Dir: p.dir, Store: lazy, Kinds: map[Kind]Form{Page: lines{}}, Now: func() time.Time { return p.now }})
	return p
}

// restart returns the engine of a new process.
func (p *project) restart() {
	p.Engine = New(p.Engine.Config)
}

// says is a proposal to append lines to the page.
func says(text ...string) Proposal {
	p := Proposal{Kind: Page, Target: "arr", Path: page, Says: strings.Join(text, " "), Value: strings.Join(text, " ")}
	for _, line := range text {
		p.Blocks = append(p.Blocks, Block{Place: "body:", After: line})
	}
	return p
}

func (p *project) propose(by Actor, all ...Proposal) []Proposed {
	p.Helper()
	out, err := p.Propose(p.Context(), Origin{Run: "RUN", By: by}, all)
	if err != nil {
		p.Fatal(err)
	}
	return out
}

// applied proposes lines and applies them.
func (p *project) applied(by Actor, text ...string) *Change {
	p.Helper()
	c, err := p.Apply(p.Context(), p.propose(by, says(text...))[0].Change.ID)
	if err != nil {
		p.Fatal(err)
	}
	return c
}

func (p *project) path() string { return filepath.Join(p.dir, filepath.FromSlash(page)) }

// write saves the page as a person does.
func (p *project) write(text string) {
	p.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(p.path()), 0o755), os.WriteFile(p.path(), []byte(text), 0o644)); err != nil {
		p.Fatal(err)
	}
}

// content is the page as it is, "-" when there is none.
func (p *project) content() string {
	p.Helper()
	content, err := os.ReadFile(p.path())
	if errors.Is(err, os.ErrNotExist) {
		return "-"
	}
	if err != nil {
		p.Fatal(err)
	}
	return string(content)
}

func (p *project) wantContent(want string) {
	p.Helper()
	if got := p.content(); got != want {
		p.Errorf("the page is %q, want %q", got, want)
	}
}

func (p *project) get(id ID) *Change {
	p.Helper()
	c, err := p.Get(p.Context(), string(id))
	if err != nil {
		p.Fatal(err)
	}
	return c
}

func (p *project) wantState(id ID, want State, problem string) {
	p.Helper()
	if c := p.get(id); c.Shown() != want || c.Problem != problem {
		p.Errorf("change %s is %s (%q), want %s (%q)", c.Says, c.Shown(), c.Problem, want, problem)
	}
}

// wantNothingLeft checks that no write left anything beside the page.
func (p *project) wantNothingLeft() {
	p.Helper()
	left, err := filepath.Glob(filepath.Join(filepath.Dir(p.path()), ".*"))
	if err != nil || len(left) > 0 {
		p.Errorf("beside the page: %v, %v", left, err)
	}
}

// isRevision reports whether a content is kept as a revision of the page.
func (p *project) isRevision(content string) bool {
	p.Helper()
	all, err := p.Revisions(p.Context(), page)
	if err != nil {
		p.Fatal(err)
	}
	for _, r := range all {
		if r.Hash != Of([]byte(content)) {
			continue
		}
		kept, err := p.Content(p.Context(), r.Hash)
		return err == nil && bytes.Equal(kept, []byte(content))
	}
	return false
}
