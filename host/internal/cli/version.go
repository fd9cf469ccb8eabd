package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/sdk"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  loam version --json",
		Args:    exactly(0),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.document(map[string]any{
					"version": a.program.Version, "contract": fmt.Sprintf("1.%d", sdk.ContractMinor),
					"go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(a.out, "loam %s (connector contract 1.%d, %s, %s/%s)\n", a.program.Version, sdk.ContractMinor, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
