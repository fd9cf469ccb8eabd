package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/sdk"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  loam version --json",
		Args:    command.Exactly(0),
		RunE: func(*cobra.Command, []string) error {
			if a.invocation.Terminal.JSON {
				return a.invocation.Terminal.Document(map[string]any{
					"version": a.invocation.Version, "contract": fmt.Sprintf("1.%d", sdk.ContractMinor),
					"go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(a.invocation.Terminal.Out, "loam %s (connector contract 1.%d, %s, %s/%s)\n", a.invocation.Version, sdk.ContractMinor, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
