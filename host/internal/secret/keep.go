package secret

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// Drawer is the folder with a person's secrets for one project, as files that only
// the person can read. It is outside the project.
type Drawer struct{ dir, project string }

// DrawerOf returns the drawer of a project below config, which is os.UserConfigDir.
func DrawerOf(config, project string) Drawer {
	sum := sha256.Sum256([]byte(file.Real(project)))
	id := hex.EncodeToString(sum[:4])
	return Drawer{filepath.Join(config, "loam", "secrets", filepath.Base(project)+"-"+id), id}
}

// Key returns the name of a secret of the project in the key ring, which all
// projects share.
func (d Drawer) Key(name string) string { return name + "@" + d.project }

// Owns reports whether Key made a name of the key ring.
func (d Drawer) Owns(name string) bool { return strings.HasSuffix(name, "@"+d.project) }

// Keep writes a secret to the file of its Reference.
// Errors: KindDenied when it cannot be written.
func (d Drawer) Keep(name string, value sdk.Secret) error {
	err := os.MkdirAll(d.dir, 0o700)
	if err == nil { // one line end is taken off when it is read
		err = file.Replace(filepath.Join(d.dir, name), []byte(value.Reveal()+"\n"), 0o600)
	}
	if err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the secret cannot be kept: %w", err).
			WithHint("give it by reference: env:NAME, file:path, cmd:program or keyring:NAME")
	}
	return nil
}

// Reference returns the reference to a secret, relative to the home folder if
// possible.
func (d Drawer) Reference(name string) string {
	path := filepath.Join(d.dir, name)
	if home, err := os.UserHomeDir(); err == nil {
		if below, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(below) {
			path = "~/" + filepath.ToSlash(below)
		}
	}
	return string(File) + ":" + path
}

// Forget removes the secret of a reference, if Keep wrote it.
func (d Drawer) Forget(reference string) error {
	ref, ok := Parse(reference)
	if !ok || ref.Scheme != File {
		return nil
	}
	path, err := ref.Path("")
	if err != nil || filepath.Dir(path) != d.dir {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
