package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"

	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/history"
)

// admit refuses a connector that may not start in this project. The history gets a program that the
// project names by path, whenever it or its manifest is another one than at the last start.
func (a *application) admit(c connector.Installed) error {
	ctx := context.Background()
	if err := a.install.Start(ctx, c); err != nil || !c.ByPath {
		return err
	}
	manifest, err := os.ReadFile(c.Manifest)
	if err == nil {
		sum := sha256.Sum256(manifest)
		err = a.history.RecordStart(ctx, history.Start{Connector: c.Name, Path: c.Binary, SHA256: c.SHA256, Manifest: hex.EncodeToString(sum[:])})
	}
	if err != nil {
		a.log.Warn("the start of a connector by path is not in the history", "connector", c.Name, "error", err)
	}
	return nil
}
