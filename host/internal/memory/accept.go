package memory

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/redact"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxText is the largest text that is accepted, maxSource the longest name of a source.
	maxText   = 256 << 10
	maxSource = 200
	// maxQueued is how many texts may wait.
	maxQueued = 10_000
	// again is how long the run of an equal text stands for it, if nothing has changed since.
	again = 24 * time.Hour
	// keep is how long texts are kept.
	keep = 30 * 24 * time.Hour
)

// Accept checks, redacts and queues a text, and returns before it is planned. For an MCP client and
// the console the work begins in the background; on the command line Wait does it.
// Errors: KindInvalid (blank, not UTF-8, NUL), KindLimit (over 256 KiB), KindNotFound (connection),
// KindRateLimited, KindDenied, KindUnavailable.
func (s *Service) Accept(ctx context.Context, in Input) (Accepted, error) {
	text, counted, err := s.admit(ctx, in)
	if err != nil {
		return Accepted{}, err
	}
	if err := s.rates.allow(in.Actor.Session, s.Now()); err != nil {
		return Accepted{}, err
	}
	state, err := s.Store.Get(ctx)
	if err != nil {
		return Accepted{}, unavailable(err)
	}
	packed, err := pack([]byte(text))
	if err != nil {
		return Accepted{}, err
	}
	by := author{run.AuthorOf(ctx, in.Actor)}
	actor, err := json.Marshal(by)
	if err != nil {
		return Accepted{}, err
	}
	now := s.Now()
	row := store.Run{ID: run.NewID(), Actor: actor, Principal: by.Principal, QueuedAt: now}
	input := store.Ingest{Connection: in.Connection, Source: in.Source, ContentHash: hashOf(append(by.Connections, text, in.Source)...), Content: packed, Bytes: len(text)}
	if input.Report, err = json.Marshal(report{Redacted: counted}); err != nil {
		return Accepted{}, err
	}
	limits := store.Acceptance{Since: now.Add(-again), Most: maxQueued}
	out, err := state.AcceptIngest(ctx, row, input, limits)
	if err == nil && out.Done && !s.unchanged(ctx, in.Connection, out.Project) {
		limits.Since = time.Time{}
		out, err = state.AcceptIngest(ctx, row, input, limits)
	}
	switch {
	case err != nil:
		return Accepted{}, unavailable(err)
	case out.Full:
		return Accepted{}, limited(time.Minute, "%d texts wait to be remembered", maxQueued)
	}
	if (in.Actor.Channel == change.MCP || in.Actor.Channel == change.Console) && !out.Done {
		s.worker.start()
	}
	return Accepted{RunID: RunID(out.Run), Duplicate: out.Known}, nil
}

// admit checks a text and who says it, and returns it without secrets.
func (s *Service) admit(ctx context.Context, in Input) (text string, redacted int, err error) {
	switch {
	case len(in.Content) > maxText:
		return "", 0, sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the text has %d bytes; the limit is %d", len(in.Content), maxText).
			WithHint("ingest it in parts")
	case !utf8.ValidString(in.Content):
		return "", 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the text is not UTF-8").WithHint("convert it to UTF-8")
	case strings.ContainsRune(in.Content, 0):
		return "", 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the text has a NUL character").WithHint("ingest text, not a binary file")
	case strings.TrimSpace(in.Content) == "":
		return "", 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no text").WithHint("write what is to be remembered in whole sentences")
	case len(in.Source) > maxSource || !utf8.ValidString(in.Source) || strings.ContainsAny(in.Source, "\x00\n"):
		return "", 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the source is no name of one line and up to %d bytes", maxSource).
			WithHint("name who says it, such as finance")
	}
	p, err := s.policy(ctx)
	if err != nil {
		return "", 0, err
	}
	if err := p.admits(in.Actor); err != nil {
		return "", 0, err
	}
	if _, err := p.folder(s.User); err != nil {
		return "", 0, err
	}
	if in.Connection != "" {
		all, err := s.Warehouses.Connections(ctx)
		if err != nil {
			return "", 0, err
		}
		if _, err := all.Get(connection.ID(in.Connection)); err != nil {
			return "", 0, err
		}
	}
	if in.Source != "" {
		if err := s.clean(in.Source); err != nil {
			return "", 0, err
		}
	}
	return s.Redacted(in.Content)
}

// Redacted returns a text without its secrets, and their number.
func (s *Service) Redacted(content string) (text string, count int, err error) {
	salt, err := s.salt()
	if err != nil {
		return "", 0, unavailable(err)
	}
	text, found := redact.Text(content, salt, s.Known)
	for _, f := range found {
		count += f.Count
	}
	return text, count, nil
}

// readSalt returns the salt of the marks of secrets; it makes one where there is none.
func (s *Service) readSalt() ([]byte, error) {
	path := s.saltPath()
	if salt, err := os.ReadFile(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return salt, err
	}
	if err := os.MkdirAll(s.State, 0o700); err != nil {
		return nil, err
	}
	temp, err := file.Temp(s.State)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, 32)
	_, _ = rand.Read(salt) // it never fails
	_, err = temp.Write(salt)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		if err = os.Link(temp.Name(), path); errors.Is(err, fs.ErrExist) { // another process was faster
			err = nil
		}
	}
	if err = errors.Join(err, os.Remove(temp.Name())); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// hashOf identifies texts. That of a run is its own, who is said to say it, and what its author sees.
func hashOf(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return h.Sum(nil)
}

// unchanged reports whether the project is as it was when a run ended.
func (s *Service) unchanged(ctx context.Context, id, before string) bool {
	now, err := s.version(ctx, id)
	return err == nil && now == before
}

// pack compresses a text. Most texts are small: the encoder is made for each.
func pack(content []byte) ([]byte, error) {
	const window = 128 << 10
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(window))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(content, nil), w.Close()
}

func unpack(packed []byte) (string, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(4*maxText))
	if err != nil {
		return "", err
	}
	defer r.Close()
	content, err := r.DecodeAll(packed, nil)
	return string(content), err
}

// unavailable is the error of a store or a folder that cannot be written.
func unavailable(err error) error {
	e := sdk.AsError(err, sdk.SourceHost)
	if e.Kind == sdk.KindLimit || e.Kind == sdk.KindDenied {
		out := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "what is to be remembered cannot be written: %w", err)
		return out.WithHint("%s", cmp.Or(e.Hint, "make the folder .loam writable for this user"))
	}
	return err
}

// limited is the error of a client that has to wait.
func limited(wait time.Duration, format string, args ...any) error {
	e := sdk.Errorf(sdk.KindRateLimited, sdk.SourceHost, format, args...).WithHint("try again in %d s; loam status tells what waits", int(wait.Seconds()))
	e.Retry, e.RetryAfter = true, wait
	return e
}
