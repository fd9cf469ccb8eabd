package token

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	version = 1
	// maxBytes bounds the file; maxTokens take a fifth of it.
	maxBytes  = 1 << 20
	maxTokens = 1000
	// patience is how long a change waits for that of another process.
	patience = 10 * time.Second
)

// Store stores the tokens of a project.
// Concurrency: any number of goroutines and processes.
type Store struct {
	path string
	now  func() time.Time

	mu   sync.Mutex
	seen file.Seen
	set  *Set
	err  error
}

// New returns the store of the file at path, which need not exist; now is the clock.
func New(path string, now func() time.Time) *Store { return &Store{path: path, now: now} }

// Path returns the path of the file.
func (s *Store) Path() string { return s.path }

// Current returns the present tokens: the next call sees a change by any process.
// Errors: KindInvalid for a malformed file, KindUnsupported for the file of a later
// Loam, KindDenied for an unreadable one. The set then is empty with Kept set, so
// that a token is required and none is accepted.
func (s *Store) Current() (*Set, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Stat(s.path)
	if err == nil && s.seen.Same(info) {
		return s.set, s.err
	}
	s.seen = file.Seen{}
	if errors.Is(err, fs.ErrNotExist) {
		s.set, s.err = &Set{}, nil
		return s.set, nil
	}
	at := s.now()
	s.set, s.err = s.read()
	if err == nil {
		s.seen = file.SeenAt(info, at)
	}
	return s.set, s.err
}

// read reads the file.
func (s *Store) read() (*Set, error) {
	nobody := &Set{Kept: true}
	text, err := s.text()
	if errors.Is(err, fs.ErrNotExist) {
		return &Set{}, nil
	}
	if err != nil {
		return nobody, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the tokens cannot be read: %w", err).
			WithHint("let this user read %s", s.path)
	}
	var d document
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields() // what a token is narrowed by may be among them
	err = decoder.Decode(&d)
	if d.Version > version {
		return nobody, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "%s has version %d, and this Loam knows %d", s.path, d.Version, version).
			WithHint("upgrade loam")
	}
	if err != nil || len(text) > maxBytes || decoder.More() || d.Version != version {
		return nobody, s.damaged("it is no file of tokens")
	}
	set := &Set{Kept: true}
	for i := range d.Tokens {
		t, ok := d.Tokens[i].token()
		if !ok || set.named(t.Name) != nil {
			return nobody, s.damaged(fmt.Sprintf("token %q cannot be understood", d.Tokens[i].Name))
		}
		set.Tokens = append(set.Tokens, t)
	}
	return set, nil
}

func (s *Store) damaged(why string) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s: %s, so no token is accepted", s.path, why).
		WithHint("put the file back, or remove it and make the tokens again: loam token add NAME")
}

func (s *Store) text() (text []byte, err error) {
	info, err := os.Stat(s.path) // before the open, which waits for ever at a named pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// Add stores a new token and returns its secret, which is not stored.
// Errors: KindInvalid for an invalid name or an expiry in the past, KindConflict for
// a name that is taken, KindLimit for too many tokens; those of Current and of
// writing.
func (s *Store) Add(ctx context.Context, t Token) (sdk.Secret, error) {
	if err := ValidName(t.Name); err != nil {
		return sdk.Secret{}, err
	}
	now := s.now().UTC().Truncate(time.Second)
	if t.Expired(now) {
		return sdk.Secret{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a token that expired at %s is of no use", t.Expires.UTC().Format(time.RFC3339)).
			WithHint("give a time that is to come, or a duration such as 90d")
	}
	secret := newSecret()
	t.Created, t.digest = now, Digest(secret)
	err := s.change(ctx, func(set *Set) ([]*Token, error) {
		if set.named(t.Name) != nil {
			return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "there is a token %q already", t.Name).
				WithHint("choose another name, or revoke it first: loam token revoke %s", t.Name)
		}
		if len(set.Tokens) >= maxTokens {
			return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "there are %d tokens, as many as there may be", maxTokens).
				WithHint("revoke those that nobody uses: loam token list")
		}
		return append(slices.Clone(set.Tokens), &t), nil
	})
	if err != nil {
		return sdk.Secret{}, err
	}
	return sdk.NewSecret(secret), nil
}

// Revoke deletes tokens, all of them or none.
// Errors: KindNotFound with the existing names; those of Current and of writing.
func (s *Store) Revoke(ctx context.Context, names ...string) error {
	return s.change(ctx, func(set *Set) ([]*Token, error) {
		for _, name := range names {
			if set.named(name) == nil {
				return nil, unknown(name, set)
			}
		}
		return slices.DeleteFunc(slices.Clone(set.Tokens), func(t *Token) bool { return slices.Contains(names, t.Name) }), nil
	})
}

func unknown(name string, set *Set) error {
	err := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no token %q", name)
	if len(set.Tokens) == 0 {
		return err.WithHint("there are none: loam token add NAME")
	}
	err.Candidates = sqlkit.Nearest(name, set.Names())
	return err.WithHint("choose from: %s", strings.Join(set.Names(), ", "))
}

// change replaces the tokens by others, under the lock.
func (s *Store) change(ctx context.Context, f func(*Set) ([]*Token, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return s.denied(err)
	}
	unlock, err := file.Wait(ctx, s.path+".lock", patience)
	switch {
	case unlock == nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.denied(err)
	case unlock == nil:
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another process changes the tokens").WithHint("try again")
		e.Retry = true
		return e
	}
	defer func() { _ = unlock() }() // ends with the process in any case
	set, err := s.read()
	if err != nil {
		return err
	}
	tokens, err := f(set)
	if err != nil {
		return err
	}
	d := document{Version: version, Tokens: []entry{}}
	for _, t := range tokens {
		d.Tokens = append(d.Tokens, t.entry())
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := file.Replace(s.path, append(text, '\n'), 0o600); err != nil {
		return s.denied(err)
	}
	return nil
}

func (s *Store) denied(err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the tokens cannot be written: %w", err).
		WithHint("let this user write to %s, and see that its disk is not full", filepath.Dir(s.path))
}
