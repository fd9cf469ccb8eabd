package main

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// An archive depends on what is in it, and neither on the order in which it is collected
// nor on the times of the files.
func TestArchivesAreReproducible(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "loam")
	long := strings.Repeat("long/", 22) + "name"
	entries := []entry{{name: "bin/loam", file: file, program: true}, {name: "LICENSE", content: []byte("text")}, {name: long, content: []byte("more")}}
	at := time.Unix(1_790_000_000, 0).UTC()
	for _, kind := range []string{"tar.gz", "zip"} {
		var made [][]byte
		for i, list := range [][]entry{entries, {entries[2], entries[1], entries[0]}} {
			if err := os.WriteFile(file, []byte("program"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, at, at.Add(time.Duration(i)*time.Hour)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "archive."+kind)
			if err := writeArchive(path, list, at); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, content)
		}
		if !bytes.Equal(made[0], made[1]) {
			t.Errorf("%s: the second archive differs", kind)
		}
	}
}

func TestRetarget(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "loam-connector-foodb.exe")
	if err := os.WriteFile(program, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	of := wire.Manifest{
		Description: sdk.Description{ID: "foodb", Version: "0.1.0", DisplayName: "Foo", License: "MIT", ConfigSchema: []byte(`{"type":"object"}`)},
		Targets:     map[string]wire.Target{"linux_amd64": {Path: "loam-connector-foodb", SHA256: strings.Repeat("0", 64), Size: 1}},
	}
	here, err := wire.EncodeManifest(of)
	if err != nil {
		t.Fatal(err)
	}
	there, err := retarget(here, platform{"windows", "arm64"}, program)
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.DecodeManifest(there)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := wire.DecodeManifest(here)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]wire.Target{"windows_arm64": {Path: "loam-connector-foodb.exe", SHA256: "1310ca2c8932dbd118668bd97442558a3e1f546b5e15c69699dfbd6024f548d8", Size: 7}}
	if diff := cmp.Diff(want, got.Targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(decoded.Description, got.Description); diff != "" {
		t.Errorf("description (-want +got):\n%s", diff)
	}
}

func TestRefused(t *testing.T) {
	for wants, args := range map[string][]string{
		`"1.2" is no version`:                  {"--version", "1.2"},
		`"plan9_amd64" is not among the platf`: {"--version", "v1.2.3", "--platforms", "plan9_amd64"},
		"no such file":                         {"--version", "1.2.3", "--native", filepath.Join(t.TempDir(), "nothing"), "--output", t.TempDir()},
	} {
		if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), wants) {
			t.Errorf("release %v: %v, which should say %s", args, err, wants)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if err := run(t.Context(), []string{"--version", "1.2.3"}); err == nil || !strings.Contains(err.Error(), "yesterday") {
		t.Errorf("a time that is none: %v", err)
	}
}

// The checksums are signed as minisign does.
func TestSignature(t *testing.T) {
	t.Parallel()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := private.MarshalText() // an encrypted one takes seconds and a gigabyte, by design
	if err != nil {
		t.Fatal(err)
	}
	r := &release{out: t.TempDir(), version: "1.2.3", key: filepath.Join(t.TempDir(), "key")}
	for file, content := range map[string][]byte{r.key: key, filepath.Join(r.out, "a.zip"): []byte("archive")} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.seal([]string{"a.zip"}); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(r.out, sumsName))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := os.ReadFile(filepath.Join(r.out, sumsName+".minisig"))
	if err != nil {
		t.Fatal(err)
	}
	if !minisign.Verify(public, sums, signature) || minisign.Verify(public, append(sums, ' '), signature) {
		t.Error("the signature does not fit")
	}
	if err := os.WriteFile(r.key, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.seal([]string{"a.zip"}); err == nil || !strings.Contains(err.Error(), passphraseVariable) {
		t.Errorf("a key that is none: %v", err)
	}
}
