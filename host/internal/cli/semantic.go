package cli

import "github.com/spf13/cobra"

func (a *app) semanticCommand() *cobra.Command {
	return a.group("sl", "The semantic layer: what numbers mean, and the numbers",
		a.semanticListCommand(), a.semanticShowCommand(), a.semanticQueryCommand(), a.semanticValidateCommand())
}
