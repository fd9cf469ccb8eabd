// Package lockfile reads and writes connectors.lock: which version of each connector a
// project uses, where it is from and what was approved, with the checksums of every
// platform. It lies beside the project file, under version control.
package lockfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// Name is the file in the project folder.
const Name = "connectors.lock"

const (
	fileVersion = 1
	// maxFileBytes bounds the file: a connector takes about 2 KiB.
	maxFileBytes = 4 << 20
)

// Lock is the content of the file: the connectors by id.
type Lock map[string]Connector

// Connector is a connector as the project uses it.
type Connector struct {
	// Constraint is that of the project file, under which the version was chosen.
	Constraint string `json:"constraint"`
	Version    string `json:"version"`
	// Source is the index, address or file that it is from.
	Source string `json:"source"`
	// Key is the publisher's, "" for what is not signed.
	Key string `json:"key"`
	// Contract is major and minor of the contract with the host, "1.1".
	Contract string `json:"contract"`
	// Environment and SQL are what was approved: variables of the host, and words that
	// a statement may begin with beyond the common ones.
	Environment []string `json:"environment"`
	SQL         []string `json:"sql"`
	// Previous is the version before, to which a rollback returns.
	Previous string `json:"previous"`
	// Platforms are the checksums by platform, "linux_amd64".
	Platforms map[string]Sums `json:"-"`
}

// Sums are the checksums of one platform.
type Sums struct {
	// Archive is the SHA-256 of the archive, in lower-case hexadecimal; "" for what was
	// installed from a folder.
	Archive string `json:"archive"`
	// Tree is the hash of the unpacked files, which an archive packed anew has too.
	Tree string `json:"tree"`
}

// document is the file.
type document struct {
	Version    int              `json:"lock_version"`
	Connectors map[string]entry `json:"connectors"`
}

type entry struct {
	Connector
	Platforms map[string]Sums `json:"platforms"`
}

// Read returns the lock of a project folder, empty where there is none.
// Errors: KindInvalid for a file that is none, KindUnsupported for one of a newer Loam.
func Read(dir string) (lock Lock, err error) {
	path := filepath.Join(dir, Name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Lock{}, nil
	case err != nil:
		return nil, malformed(path, err)
	case !info.Mode().IsRegular() || info.Size() > maxFileBytes:
		return nil, malformed(path, errors.New("it is no file of this kind"))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, malformed(path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes))
	if err != nil {
		return nil, malformed(path, err)
	}
	return parse(path, text)
}

func parse(path string, text []byte) (Lock, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, malformed(path, err)
	}
	switch {
	case d.Version < 1:
		return nil, malformed(path, errors.New("lock_version is missing"))
	case d.Version > fileVersion:
		return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "%s was written by a newer Loam", path).WithHint("upgrade loam")
	}
	lock := Lock{}
	for id, e := range d.Connectors {
		if e.Version == "" {
			return nil, malformed(path, errors.New(id+" has no version"))
		}
		for platform, sums := range e.Platforms {
			if sums.Tree == "" {
				return nil, malformed(path, errors.New(id+" has no tree for "+platform))
			}
		}
		e.Connector.Platforms = e.Platforms
		lock[id] = e.Connector
	}
	return lock, nil
}

func malformed(path string, err error) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s cannot be used: %w", path, err).
		WithHint("restore it from version control")
}

// Write replaces the lock of a project folder.
// Errors: KindUnavailable where it cannot be written.
func Write(dir string, lock Lock) error {
	path := filepath.Join(dir, Name)
	if err := file.Replace(path, lock.text(), 0o644); err != nil {
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "%s cannot be written: %w", path, err).WithHint("make room, and let this user write there")
	}
	return nil
}

// text writes the file: keys sorted, and one line for each platform, so that a merge
// shows what changed.
func (l Lock) text() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n  \"lock_version\": %d,\n  \"connectors\": {", fileVersion)
	for i, id := range slices.Sorted(maps.Keys(l)) {
		c := l[id]
		c.Environment, c.SQL = append([]string{}, c.Environment...), append([]string{}, c.SQL...)
		fields, _ := bytes.CutSuffix(encode(c, "    ", "  "), []byte("\n    }"))
		fmt.Fprintf(&out, "%s\n    %s: %s,\n      \"platforms\": {", comma(i), encode(id, "", ""), fields)
		for i, platform := range slices.Sorted(maps.Keys(c.Platforms)) {
			fmt.Fprintf(&out, "%s\n        %s: %s", comma(i), encode(platform, "", ""), encode(c.Platforms[platform], "", ""))
		}
		out.WriteString("\n      }\n    }")
	}
	out.WriteString("\n  }\n}\n")
	return out.Bytes()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// encode returns v as JSON, on one line where indent is empty.
func encode(v any, prefix, indent string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(prefix, indent)
	if err := encoder.Encode(v); err != nil {
		panic("lockfile: " + err.Error()) // texts and lists of texts
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
