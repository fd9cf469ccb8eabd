package project

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/install"
)

func (a *commands) verifyCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "verify [CONNECTOR]",
		Short: "Check installed connectors as before a start",
		Long: `Checks that the files of installed connectors are those that the project locked and their
manifest lists, no more and no fewer, that they belong to this user and only this user can write
to them, that this Loam speaks their contract, and that the policies allow them. No connector is
started and no network is used. There is a line for each fault, and the exit code is then 3.

With --all-platforms it checks every platform that is locked. The archive of one that is not
installed here is fetched and verified as for an installation, and not installed.`,
		Example: "  loam connector verify\n  loam connector verify acme/foodb --json\n  loam connector verify --all-platforms",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.installing(cmd.Context(), func(s *install.Service) error {
				checked, err := s.Verify(cmd.Context(), first(args), all)
				if err != nil {
					return err
				}
				var rows [][]string
				for _, c := range checked {
					state := "ok"
					if c.Archive {
						state = "ok, not installed"
					}
					rows = append(rows, []string{c.ID, c.Version, c.Platform, state})
					if c.Notice != "" {
						rows = append(rows, []string{"", "", "", "notice: " + c.Notice})
					}
					for i, fault := range c.Faults {
						a.invocation.Code = exitRefused
						if i > 0 {
							rows = append(rows, []string{"", "", "", fault})
							continue
						}
						rows[len(rows)-1][3] = fault
					}
				}
				return a.term.Answer(map[string]any{"connectors": checked}, func() error {
					return a.term.Table([]string{"CONNECTOR", "VERSION", "PLATFORM", "STATE"}, rows)
				})
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all-platforms", false, "check every platform that is locked, by its archive where it is not installed")
	return cmd
}

func (a *commands) lockCommand() *cobra.Command {
	var platforms []string
	var key string
	cmd := &cobra.Command{
		Use:   "lock [CONNECTOR] --platforms PLATFORM,...",
		Short: "Lock the checksums of connectors for further platforms",
		Long: `Adds the checksums of further platforms to connectors.lock, for the locked connectors or one of
them, so that colleagues and servers with another system install the same version. Each archive
is fetched, its signature, checksums and files are verified, and it may get no more than was
approved; nothing is installed. The exit code is 3 for what is refused; the lock is then as it
was.`,
		Example: "  loam connector lock --platforms linux_amd64,darwin_arm64,windows_amd64",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(platforms) == 0 {
				return command.Usage(cmd, "--platforms names the platforms to lock, such as linux_amd64,darwin_arm64")
			}
			return a.installing(cmd.Context(), func(s *install.Service) error {
				locked, err := s.LockPlatforms(cmd.Context(), first(args), platforms, key)
				if err != nil {
					return err
				}
				rows := make([][]string, len(locked))
				for i, l := range locked {
					rows[i] = []string{l.ID, l.Version, strings.Join(l.Platforms, " "), cmp.Or(strings.Join(l.Added, " "), "-")}
				}
				return a.term.Answer(map[string]any{"connectors": locked}, func() error {
					return a.term.Table([]string{"CONNECTOR", "VERSION", "LOCKED FOR", "ADDED"}, rows)
				})
			})
		},
	}
	cmd.Flags().StringSliceVar(&platforms, "platforms", nil, "the platforms, such as linux_amd64,darwin_arm64")
	cmd.Flags().StringVar(&key, "key", "", "trust this public key of the publisher for the archives")
	return cmd
}

func (a *commands) collectCommand() *cobra.Command {
	var try bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove versions of connectors that nothing uses",
		Long: `Removes installed versions of connectors that no project locks, what installations that were
killed left in the store, and archives of what is not installed any more. It keeps the version
that is locked and the one before it, in every project that installed here and for all projects
of this person, and the two newest versions of each connector.`,
		Example: "  loam connector gc --dry-run\n  loam connector gc",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.installing(cmd.Context(), func(s *install.Service) error {
				c, err := s.Collect(cmd.Context(), try)
				if err != nil {
					return err
				}
				return a.term.Answer(map[string]any{"removed": c, "dryRun": try}, func() error {
					verb := "removed"
					if try {
						verb = "would remove"
					}
					for _, r := range c.Releases {
						a.term.Infof("%s %s %s for %s", verb, r.ID, r.Version, r.Platform)
					}
					for _, path := range c.Leftovers {
						a.term.Infof("%s %s, which no installation completed", verb, path)
					}
					for _, path := range c.Archives {
						a.term.Infof("%s archive %s", verb, filepath.Base(path))
					}
					a.term.Infof("%s %d versions, %s in all", verb, len(c.Releases), humanize.IBytes(uint64(c.Bytes)))
					return nil
				})
			})
		},
	}
	cmd.Flags().BoolVar(&try, "dry-run", false, "only list what would be removed")
	return cmd
}
