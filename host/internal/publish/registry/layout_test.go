package registry

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// pushTo pushes a file "a" with a text under a tag.
func pushTo(t *testing.T, dir, tag, text string) (string, error) {
	t.Helper()
	from := t.TempDir()
	put(t, filepath.Join(from, "a"), text)
	return Registries{}.Push(t.Context(), Reference{Layout: dir, Version: tag}, from, []string{"a"})
}

func textAt(t *testing.T, dir, tag string) (string, error) {
	t.Helper()
	body, err := Registries{}.Open(t.Context(), Reference{Layout: dir, Version: tag, File: "a"}, 100)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(body)
	return string(text), errors.Join(err, body.Close())
}

func wantText(t *testing.T, dir, tag, want string) {
	t.Helper()
	if got, err := textAt(t, dir, tag); err != nil || got != want {
		t.Errorf("%s has %q, %v; want %q", tag, got, err, want)
	}
}

// What other tools keep in a layout stays there; a tag moves.
func TestPushKeepsTheEntriesOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, layoutFile), `{"imageLayoutVersion": "1.0.0"}`)
	put(t, filepath.Join(dir, layoutIndex), `{"schemaVersion":2,"annotations":{"of":"others"},"manifests":[{"mediaType":"x/y","digest":"sha512:1","size":7,"platform":{"os":"plan9"},"odd":true}]}`)
	for _, text := range []string{"first", "second"} {
		if _, err := pushTo(t, dir, "1", text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pushTo(t, dir, "2", "other"); err != nil {
		t.Fatal(err)
	}
	wantText(t, dir, "1", "second")
	wantText(t, dir, "2", "other")
	text, err := os.ReadFile(filepath.Join(dir, layoutIndex))
	var index struct {
		Annotations map[string]string
		Manifests   []json.RawMessage
	}
	if err = errors.Join(err, json.Unmarshal(text, &index)); err != nil {
		t.Fatal(err)
	}
	if index.Annotations["of"] != "others" || len(index.Manifests) != 3 || !strings.Contains(string(index.Manifests[0]), `"odd":true`) {
		t.Errorf("%s", text)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ingest)); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A push that is killed after any of its steps leaves a layout into which the next one pushes.
func TestPushAfterAKilledOne(t *testing.T) {
	t.Parallel()
	steps := []struct{ name, text string }{
		{lockName, ""}, {".new-1", "{"}, {layoutFile, `{"imageLayoutVersion":"1.0.0"}`}, {layoutIndex, `{"schemaVersion":2,"manifests":[]}`},
		{filepath.Join(ingest, strings.Repeat("a", 64)), "half of a bl"}, {blobName(describe(fileType, []byte("text"))), "text"},
	}
	for n := range len(steps) + 1 {
		dir := t.TempDir()
		for _, s := range steps[:n] {
			put(t, filepath.Join(dir, s.name), s.text)
		}
		if _, err := textAt(t, dir, "1"); sdk.KindOf(err) != sdk.KindNotFound {
			t.Errorf("after %d steps it is read: %v", n, err)
		}
		if _, err := pushTo(t, dir, "1", "text"); err != nil {
			t.Errorf("after %d steps: %v", n, err)
		}
		wantText(t, dir, "1", "text")
	}
}

func TestPushRepairsAChangedBlob(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "layout")
	first, err := pushTo(t, dir, "1", "text")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, blobName(describe(fileType, []byte("text")))), "tex!")
	if got, err := textAt(t, dir, "1"); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a changed blob is %q, %v", got, err)
	}
	again, err := pushTo(t, dir, "1", "text")
	if err != nil || again != first {
		t.Errorf("%s, then %s, %v", first, again, err)
	}
	wantText(t, dir, "1", "text")
}

func TestPushesAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "layout")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := pushTo(t, dir, strconv.Itoa(i), "text "+strconv.Itoa(i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 8 {
		wantText(t, dir, strconv.Itoa(i), "text "+strconv.Itoa(i))
	}
}

func TestLayoutRefusals(t *testing.T) {
	t.Parallel()
	const version = `{"imageLayoutVersion":"1.0.0"}`
	for name, c := range map[string]struct {
		files      map[string]string
		read, push sdk.Kind
	}{
		"a folder of something else": {map[string]string{layoutIndex: `{"serial":1}`}, sdk.KindNotFound, sdk.KindConflict},
		"another version":            {map[string]string{layoutFile: `{"imageLayoutVersion":"2.0.0"}`, layoutIndex: `{"manifests":[]}`}, sdk.KindDenied, sdk.KindDenied},
		"no version":                 {map[string]string{layoutFile: `null`, layoutIndex: `{"manifests":[]}`}, sdk.KindDenied, sdk.KindDenied},
		"no index":                   {map[string]string{layoutFile: version, layoutIndex: `null`}, sdk.KindDenied, sdk.KindDenied},
		"no list":                    {map[string]string{layoutFile: version, layoutIndex: `{"manifests":{}}`}, sdk.KindDenied, sdk.KindDenied},
		"a large index":              {map[string]string{layoutFile: version, layoutIndex: strings.Repeat(" ", maxManifestBytes+1)}, sdk.KindLimit, sdk.KindLimit},
		"an index that is full": {
			map[string]string{layoutFile: version, layoutIndex: `{"manifests":[],"a":"` + strings.Repeat("a", maxManifestBytes-100) + `"}`}, sdk.KindNotFound, sdk.KindLimit,
		},
		"a folder in place of a file": {map[string]string{layoutFile: version, layoutIndex + "/a": ""}, sdk.KindDenied, sdk.KindDenied},
		"a folder in place of a blob": {
			map[string]string{layoutFile: version, layoutIndex: `{"manifests":[]}`, blobName(describe(fileType, []byte("text"))) + "/a": ""}, sdk.KindNotFound, sdk.KindDenied,
		},
		"a digest that is a path": {
			map[string]string{layoutFile: version, layoutIndex: `{"manifests":[{"digest":"sha256:../../oci-layout","size":30,"annotations":{"org.opencontainers.image.ref.name":"1"}}]}`},
			sdk.KindDenied, "",
		},
		"a manifest that is away": {
			map[string]string{layoutFile: version, layoutIndex: `{"manifests":[{"digest":"` + someDigest + `","size":30,"annotations":{"org.opencontainers.image.ref.name":"1"}}]}`},
			sdk.KindNotFound, "",
		},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			put(t, filepath.Join(dir, name), text)
		}
		if _, err := textAt(t, dir, "1"); sdk.KindOf(err) != c.read {
			t.Errorf("%s is read: %v", name, err)
		}
		if _, err := pushTo(t, dir, "1", "text"); sdk.KindOf(err) != c.push {
			t.Errorf("%s is pushed to: %v", name, err)
		}
		for name, text := range c.files {
			if got, err := os.ReadFile(filepath.Join(dir, name)); c.push != "" && (err != nil || string(got) != text) {
				t.Errorf("%s was changed: %.100s, %v", name, got, err)
			}
		}
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "")
	if _, err := pushTo(t, filepath.Join(dir, "file"), "1", "text"); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a layout in a file: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v", entries, err)
	}
}

func TestPushRefusals(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	put(t, filepath.Join(from, "a"), "text")
	dir := filepath.Join(t.TempDir(), "layout")
	for name, c := range map[string]struct {
		to   Reference
		file string
		kind sdk.Kind
	}{
		"a digest":             {Reference{Layout: dir, Version: someDigest}, "a", sdk.KindInvalid},
		"a file":               {Reference{Layout: dir, Version: "1", File: "a"}, "a", sdk.KindInvalid},
		"a name that leaves":   {Reference{Layout: dir, Version: "1"}, "../a", sdk.KindInvalid},
		"a file that is away":  {Reference{Layout: dir, Version: "1"}, "b", sdk.KindNotFound},
		"a folder as its file": {Reference{Layout: dir, Version: "1"}, ".", sdk.KindInvalid},
	} {
		if _, err := (Registries{}).Push(t.Context(), c.to, from, []string{c.file}); sdk.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPushWaitsForAnother(t *testing.T) {
	t.Parallel()
	dir, from := t.TempDir(), t.TempDir()
	put(t, filepath.Join(from, "a"), "text")
	unlock, err := file.Lock(filepath.Join(dir, lockName))
	if err != nil || unlock == nil {
		t.Fatal(err)
	}
	l := layout{dir, Reference{Layout: dir, Version: "1"}, time.Nanosecond}
	if _, err := l.push(t.Context(), from, []string{"a"}); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("while another push has it: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.patience = layoutPatience
	if _, err := l.push(ctx, from, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it waits: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.push(ctx, from, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it writes: %v", err)
	}
	if _, err := textAt(t, dir, "1"); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("of a cancelled push: %v", err)
	}
	entries, err := filepath.Glob(filepath.Join(dir, "blobs/sha256/*"))
	if err != nil || len(entries) != 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}

// ending cancels a context when the second piece of it is read.
type ending struct {
	cancel context.CancelFunc
	reads  int
}

func (e *ending) ReadAt(p []byte, _ int64) (int, error) {
	if e.reads++; e.reads == 2 {
		e.cancel()
	}
	return len(p), nil
}

func TestCancelEndsTheCopyOfABlob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	content := &ending{cancel: cancel}
	put(t, filepath.Join(dir, ingest, "x"), "")
	err := layout{dir: dir}.put(ctx, descriptor{Digest: someDigest, Size: 1 << 40}, content)
	if !errors.Is(err, context.Canceled) || content.reads != 2 {
		t.Errorf("%d reads, %v", content.reads, err)
	}
}
