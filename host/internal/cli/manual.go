package cli

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/loam-data/loam/sdk"
)

// writeManual writes a page of section 1 for each command into folder: loam-mcp-start.1.
// Their date is SOURCE_DATE_EPOCH where that is set.
func writeManual(root *cobra.Command, folder, version string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the folder of the manual pages: %w", err)
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "Loam " + version, Manual: "Loam"}
	if err := doc.GenManTree(root, header, folder); err != nil {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the manual pages: %w", err)
	}
	return nil
}
