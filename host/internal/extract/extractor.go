// Package extract asks a language model for the statements of a text. The model only quotes: package assertion
// drops every statement that its quote does not support. The model gets no files, state or policy. A failed,
// late or invalid answer becomes a note, and the text is read without it.
package extract

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/sdk"
)

// The kinds of API of a Model.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// DefaultTimeout bounds one call including its repetitions.
const DefaultTimeout = 60 * time.Second

// Model is a language model behind an HTTP API.
type Model struct {
	Kind    string // OpenAI or Anthropic
	BaseURL string
	Name    string
	Key     sdk.Secret    // zero = no key is sent
	Timeout time.Duration // of one call including its repetitions; 0 = DefaultTimeout
	// DailyTokens is the largest number of tokens per day (UTC); 0 = unlimited.
	DailyTokens int64
}

// Store caches answers and counts tokens; *store.Store implements it.
type Store interface {
	// Answer returns a cached answer; nil = there is none.
	Answer(ctx context.Context, key []byte) ([]byte, error)
	PutAnswer(ctx context.Context, key, answer []byte, at time.Time) error
	// SpendTokens adds tokens, which may be negative, to the count of a day. It returns false and adds nothing if
	// the sum would exceed most; most 0 = unlimited.
	SpendTokens(ctx context.Context, day string, tokens, most int64) (ok bool, err error)
}

// Config has the dependencies of an Extractor. All fields are required.
type Config struct {
	// Model returns the model of the project. Errors: KindDenied until a person trusts it.
	Model  func(ctx context.Context) (Model, error)
	Store  func(ctx context.Context) (Store, error)
	Now    func() time.Time
	Logger *slog.Logger
}

// Extractor asks a language model for the statements of texts.
// Concurrency: its methods may be called concurrently.
type Extractor struct {
	Config
	wait func(ctx context.Context, d time.Duration) error
}

// New returns an Extractor. It opens nothing before the first Extract.
func New(c Config) *Extractor { return &Extractor{Config: c, wait: sleep} }

// Text is a text to read.
type Text struct {
	Content string
	// Names returns names of the model that may occur in a part of the content; at most 30 of at most 200 bytes are
	// sent. nil = none.
	Names func(part string) []string
}

// Found is the result of Extract.
type Found struct {
	Statements []assertion.Extract
	// Notes say which parts of the text or of an answer were left out, and why.
	Notes []string
	// Failed says that the model could not be asked about a part of the text, which was read by rules only. A later
	// call may succeed.
	Failed bool
}

const (
	// version of the prompt and of the schema; it is part of the key of cached answers.
	version  = "1"
	maxCalls = 8 // for one text
	maxNames = 30
	maxName  = 200 // bytes
	// maxStatements bounds the statements of one answer that are used.
	maxStatements = 100
)

// Extract returns the statements that the model finds in a text, with at most eight calls. After a call that fails it
// makes no further one; a note says so.
// Errors: only those of ctx.
func (x *Extractor) Extract(ctx context.Context, t Text) (Found, error) {
	var found Found
	list, beyond := parts(t.Content)
	if len(list) == 0 {
		return found, nil
	}
	model, err := x.Model(ctx)
	if err == nil {
		err = x.each(ctx, model, list, t.Names, &found)
	}
	if ctx.Err() != nil {
		return Found{}, ctx.Err()
	}
	if err != nil {
		e := sdk.AsError(err, sdk.SourceHost)
		x.Logger.WarnContext(ctx, "the language model was of no use", "error", e.Msg)
		note := "the text was read by rules alone: "
		if len(found.Statements) > 0 {
			note = "a part of the text was read by rules alone: "
		}
		if note += e.Msg; e.Hint != "" {
			note += "; " + e.Hint
		}
		found.Notes, found.Failed = append(found.Notes, note), true
	}
	if beyond > 0 {
		found.Notes = append(found.Notes, fmt.Sprintf("%d bytes of the text were read by rules alone: a model is asked %d times for one text", beyond, maxCalls))
	}
	return found, nil
}

// each asks the model about each part.
func (x *Extractor) each(ctx context.Context, m Model, list []string, names func(string) []string, found *Found) error {
	if apis[m.Kind] == nil {
		return useless("the project names no model any more", "set memory.llm in loam.yaml")
	}
	kept, err := x.Store(ctx)
	if err != nil {
		return err
	}
	c := newClient(m, x.wait, x.Now)
	defer c.close()
	for _, part := range list {
		p := prompt{section: part, names: bounded(names, part)}
		statements, err := x.answer(ctx, c, kept, p)
		if err != nil {
			return err
		}
		if n := len(statements) - maxStatements; n > 0 {
			statements = statements[:maxStatements]
			found.Notes = append(found.Notes, fmt.Sprintf("%d statements of the model are left out: an answer has at most %d", n, maxStatements))
		}
		for _, s := range statements {
			found.Statements = append(found.Statements, s.extract())
		}
	}
	return nil
}

// bounded returns the names that are sent with a part.
func bounded(names func(string) []string, part string) (all []string) {
	if names == nil {
		return nil
	}
	for _, name := range names(part) {
		if len(all) < maxNames && len(name) <= maxName {
			all = append(all, name)
		}
	}
	return all
}

// answer returns the cached answer about a part, else it asks the model.
func (x *Extractor) answer(ctx context.Context, c *client, kept Store, p prompt) ([]statement, error) {
	key := p.key(c.model)
	before, err := kept.Answer(ctx, key)
	if err != nil {
		return nil, err
	}
	if before != nil {
		return decode(before)
	}
	day := x.Now().UTC().Format(time.DateOnly)
	reserved := p.tokens() + maxTokens
	ok, err := kept.SpendTokens(ctx, day, reserved, c.model.DailyTokens)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the %d tokens of a day do not last for another call of the model", c.model.DailyTokens).
			WithHint("raise memory.llm.daily_tokens in loam.yaml, or ingest it again tomorrow")
	}
	text, used, err := c.ask(ctx, p)
	// The tokens of a failed call are not known: its reservation stays.
	if err == nil {
		if used <= 0 || used > maxUsage {
			used = p.tokens() + tokens(string(text))
		}
		_, err = kept.SpendTokens(context.WithoutCancel(ctx), day, used-reserved, 0)
	}
	if err != nil {
		return nil, err
	}
	statements, err := decode(text)
	if err != nil {
		return nil, err
	}
	return statements, kept.PutAnswer(ctx, key, text, x.Now())
}

// maxUsage is the largest plausible number of tokens of one call; a larger one is replaced by an estimate.
const maxUsage = 1_000_000

// key returns the cache key of a prompt.
func (p *prompt) key(m Model) []byte {
	text, err := json.Marshal([]any{version, m.Kind, m.BaseURL, m.Name, p.section, p.names})
	if err != nil {
		panic(err) // texts always encode
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timed, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-timed.Done()
	return ctx.Err()
}
