package project

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/publish/release"
)

func (a *commands) connectorPushCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "push FOLDER REFERENCE",
		Short: "Push a connector's release to an OCI registry",
		Long: `Pushes what a folder publishes as one OCI artifact: the archives with SHA256SUMS and its
signature, or an index with its signature and the archives of it that are there. REFERENCE is
oci://HOST/REPOSITORY:TAG, or oci:FOLDER:TAG for an OCI layout, which is made if there is none.
A file that is not the one of its checksum is refused, and nothing is pushed. A registry only
carries the files: who installs them verifies the signature.

Loam has no credentials for registries. Where a registry asks for them, push into a layout and
copy that with oras or skopeo. Registries are reached by HTTPS, and by HTTP on this machine.`,
		Example: "  loam connector push dist/foodb/0.3.1 oci://registry.example/acme/foodb:0.3.1\n  loam connector push dist oci:layout:index",
		Args:    command.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			pushed, err := release.Push(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			absent := ""
			if len(pushed.Absent) > 0 {
				absent = "\n  the index names archives that are not in the folder: " + strings.Join(pushed.Absent, ", ")
			}
			return a.term.Done(pushed, "pushed %d files to %s\n  digest: %s%s", len(pushed.Files), pushed.Reference, pushed.Digest, absent)
		},
	}
}
