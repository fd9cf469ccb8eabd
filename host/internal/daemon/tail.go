package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/loam-data/loam/sdk"
)

// followEvery is the interval at which a followed log is read.
const followEvery = 100 * time.Millisecond

// lost replaces lines that were rotated away before they were read.
const lost = "(lines are missing here: the log went on faster than it was read)"

// Tail calls each with the last lines of the log, including rotated files. With follow it goes
// on with every new line until ctx is done, and waits for a log if there is none.
// Shape: a last line without a line end is passed only without follow.
// Errors: KindNotFound when there is no log and follow is false; KindDenied; those of each. The
// end of ctx is not an error.
func (d *Daemon) Tail(ctx context.Context, lines int, follow bool, each func(line string) error) error {
	t := &tail{path: d.LogPath(), each: each}
	err := t.open()
	for follow && errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
		pause(ctx, followEvery)
		err = t.open()
	}
	switch {
	case ctx.Err() != nil:
		return errors.Join(t.close())
	case errors.Is(err, fs.ErrNotExist):
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no log: no daemon was ever started in this project").
			WithHint("start one: loam mcp start")
	case err != nil:
		return d.denied(err)
	}
	err = t.last(lines, follow)
	for err == nil && follow && ctx.Err() == nil {
		var more bool
		if more, err = t.next(); !more {
			pause(ctx, followEvery)
		}
	}
	return errors.Join(err, t.close())
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// tail reads a log that is being written and rotated.
type tail struct {
	path string
	each func(string) error
	file *os.File
	read int64  // bytes read of file
	rest []byte // the beginning of a line whose end was not written yet
}

func (t *tail) open() (err error) {
	t.file, err = os.Open(t.path)
	return err
}

func (t *tail) close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// last passes on the last n lines.
func (t *tail) last(n int, follow bool) error {
	text, err := t.news()
	if err != nil {
		return err
	}
	if end := bytes.LastIndexByte(text, '\n') + 1; follow {
		t.rest, text = slices.Clone(text[end:]), text[:end]
	}
	all := splitLines(text)
	for i := 1; i <= logKeep && len(all) < n; i++ {
		older, err := t.older(i)
		if err != nil {
			return err
		}
		all = append(older, all...)
	}
	for _, line := range all[max(0, len(all)-n):] {
		if err := t.each(line); err != nil {
			return err
		}
	}
	return nil
}

// older returns the lines of a rotated log; none when it does not exist or is the file that
// is being read.
func (t *tail) older(times int) ([]string, error) {
	same, err := t.isAt(times)
	if same || err != nil {
		return nil, err
	}
	text, err := os.ReadFile(numbered(t.path, times))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return splitLines(text), err
}

func splitLines(text []byte) []string {
	var lines []string
	for line := range bytes.Lines(text) {
		lines = append(lines, string(bytes.TrimRight(line, "\r\n")))
	}
	return lines
}

// news reads what was written since the last read.
func (t *tail) news() ([]byte, error) {
	info, err := t.file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < t.read { // emptied by a person
		t.read, t.rest = 0, nil
	}
	text, err := io.ReadAll(io.NewSectionReader(t.file, t.read, info.Size()-t.read))
	t.read += int64(len(text))
	return text, err
}

// next passes on new lines, and switches to the next file after a rotation; more reports that
// there may be further lines.
func (t *tail) next() (more bool, err error) {
	// The place is determined before the content: nothing is written to a file after it was
	// rotated.
	place, err := t.place()
	if err != nil {
		return false, err
	}
	text, err := t.news()
	if err != nil {
		return false, err
	}
	if place != 0 && len(t.rest)+len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n') // the program ended in the middle of a line
	}
	t.rest = append(t.rest, text...)
	end := bytes.LastIndexByte(t.rest, '\n') + 1
	for _, line := range splitLines(t.rest[:end]) {
		if err := t.each(line); err != nil {
			return false, err
		}
	}
	t.rest = slices.Clone(t.rest[end:])
	if place == 0 {
		return false, nil
	}
	return t.advance(place)
}

// place returns how many times the open file was rotated; -1 when it was deleted.
func (t *tail) place() (int, error) {
	for i := range logKeep + 1 {
		same, err := t.isAt(i)
		if same || err != nil {
			return i, err
		}
	}
	return -1, nil
}

func (t *tail) isAt(times int) (bool, error) {
	there, err := os.Stat(numbered(t.path, times))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	here, err := t.file.Stat()
	return err == nil && os.SameFile(there, here), err
}

// advance opens the file that followed the one at place.
func (t *tail) advance(place int) (bool, error) {
	after := place - 1
	if place < 0 {
		after = logKeep
	}
	f, err := os.Open(numbered(t.path, after))
	for place < 0 && after > 0 && errors.Is(err, fs.ErrNotExist) {
		after--
		f, err = os.Open(numbered(t.path, after))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // the rotation is not complete
	}
	if err != nil {
		return false, err
	}
	if now, err := t.place(); err != nil || now != place {
		return true, errors.Join(err, f.Close()) // moved meanwhile: look again
	}
	if err := t.file.Close(); err != nil {
		return false, errors.Join(err, f.Close())
	}
	t.file, t.read = f, 0
	if place < 0 {
		return true, t.each(lost)
	}
	return true, nil
}
