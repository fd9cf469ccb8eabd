package connector

import (
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/loam-data/loam/sdk"
)

// RequestReset allows a disabled connector to start again in every host of this user. It writes a
// file to dir ("" = the user's cache), which a host checks before it refuses a call.
func RequestReset(dir, name string) error {
	path, err := resetFile(dir, name)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, []byte(time.Now().UTC().Format(time.RFC3339Nano)+"\n"), 0o600)
	}
	if err != nil {
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "connector %q cannot be reset: %w", name, err).
			WithHint("Restart the host instead.")
	}
	return nil
}

// resetSince reports whether a reset was requested after a time.
func resetSince(dir, name string, since time.Time) bool {
	path, err := resetFile(dir, name)
	if err != nil {
		return false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	asked, err := time.Parse(time.RFC3339Nano+"\n", string(text))
	return err == nil && asked.After(since)
}

func resetFile(dir, name string) (string, error) {
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "loam", "reset")
	}
	return filepath.Join(dir, url.PathEscape(name)), nil
}
