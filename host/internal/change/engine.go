package change

import (
	"context"
	"log/slog"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Form reads and writes the blocks of one kind of file. It is pure: it opens no file.
type Form interface {
	// Apply returns the file with each block replaced by its After; current is nil where there is no file. A block
	// whose After is there already changes nothing.
	// Shape: nil = nothing is left of the file, and it is to be removed.
	// Errors: KindConflict where a block equals neither Before nor After; KindInvalid for a file that is not of this
	// form.
	Apply(current []byte, blocks []Block) ([]byte, error)
	// Revert returns the file with each block replaced by its Before. Blocks that were edited since stay and are
	// returned as kept, with their Line.
	Revert(current []byte, blocks []Block) (after []byte, kept []Block, err error)
}

// Config is the configuration of an Engine.
type Config struct {
	// Dir is the project's folder. Paths of changes are below it.
	Dir   string
	Store store.Opener
	// Kinds are the kinds of changes with the form of their files.
	Kinds  map[Kind]Form
	Now    func() time.Time // nil = time.Now
	Logger *slog.Logger     // nil = none
}

// Engine stores changes and writes their files.
// Concurrency: the caller of a method that writes has the project's memory lock: one caller at a time, over all
// processes. Get, List, Disputes, DraftOf, Preview, Own, Revisions, Content and Events need no lock.
type Engine struct {
	Config
	// at is called before each step, by its name; tests fail or end the engine there.
	at func(step string) error
	// apart moves files away before they are replaced, as where the file system cannot exchange them; for tests.
	apart bool
	// pruned is when old revisions were forgotten last.
	pruned   time.Time
	disputes disputes
}

// New returns the engine of a project. It opens no file.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Engine{Config: c, at: func(string) error { return nil }}
}

func (e *Engine) form(kind Kind) (Form, error) {
	form := e.Kinds[kind]
	if form == nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "there is no kind of change %q", kind)
	}
	return form, nil
}

// commit writes a batch as one step.
func (e *Engine) commit(ctx context.Context, step string, b *store.MemoryBatch) error {
	if err := e.at(step); err != nil {
		return unwritten("the state store", err)
	}
	s, err := e.Store.Get(ctx)
	if err != nil {
		return err
	}
	return s.PutMemory(ctx, b)
}
