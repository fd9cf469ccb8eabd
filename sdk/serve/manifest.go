package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// manifest writes connector.json for this very binary, or for another one that
// was built from the same source.
func (p *program) manifest(_ context.Context, args []string) error {
	var binary, platform, output string
	define := func(f *flag.FlagSet) {
		f.StringVar(&binary, "binary", "", "the `file` to describe (default: this program)")
		f.StringVar(&platform, "platform", wire.PlatformName(runtime.GOOS, runtime.GOARCH), "the `os_arch` that the file runs on")
		f.StringVar(&output, "output", "", "the `file` to write (default: stdout)")
	}
	if err := p.parse("manifest", define, args, 0); err != nil {
		return err
	}
	if binary == "" {
		self, err := p.executable()
		if err != nil {
			return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the path of this program is unknown: %w", err).
				WithHint("name the file with --binary")
		}
		binary = self
	}
	target, err := measure(binary)
	if err != nil {
		return err
	}
	content, err := wire.EncodeManifest(wire.Manifest{
		Description: p.connector.Describe(), Targets: map[string]wire.Target{platform: target},
	})
	if err != nil {
		return err
	}
	if output == "" {
		_, err = p.stdout.Write(content)
		return err
	}
	return replaceFile(output, content)
}

// measure hashes a program; its path is its name, since the manifest lies beside it.
func measure(path string) (target wire.Target, err error) {
	file, err := os.Open(path)
	if err != nil {
		return wire.Target{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "the binary cannot be read: %w", err).
			WithHint("name an existing file with --binary")
	}
	defer func() {
		if closing := file.Close(); err == nil {
			err = closing
		}
	}()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return wire.Target{}, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the binary cannot be read: %w", err)
	}
	return wire.Target{Path: filepath.Base(path), SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size}, nil
}

// replaceFile writes beside the file and renames, so that a reader sees the old
// content or the new one.
func replaceFile(path string, content []byte) (err error) {
	defer func() {
		if err != nil {
			err = sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "%s cannot be written: %w", path, err)
		}
	}()
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name()) // the first error is the one to tell
		}
	}()
	if _, err := file.Write(content); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Chmod(0o644); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
