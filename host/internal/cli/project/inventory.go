package project

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/install"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) connectorListCommand() *cobra.Command {
	var outdated bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the connectors that are installed",
		Long: `Lists the connectors found beside this program, in LOAM_CONNECTOR_PATH, in the user's and the
system's connector folders, and those that connections of the project name by path. Manifests
are read; nothing is started, and no network is used without --outdated.

The trust is "bundled" (this program knows its checksum), "signed" (by a trusted key),
"pinned" (a person confirmed its checksum), "path" (named by a connection) or "local".`,
		Example: "  loam connector list --json\n  loam connector list --outdated",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				found, err := listConnectors(cmd.Context(), services)
				if err == nil && outdated {
					err = addNewest(cmd.Context(), services, found)
				}
				if err != nil {
					return err
				}
				if a.term.JSON {
					return a.term.Document(map[string]any{"connectors": found})
				}
				rows := make([][]string, len(found))
				for i, c := range found {
					version := c.Version
					if c.Newest != "" && c.Newest != c.Version {
						version += " (newest: " + c.Newest + ")"
					}
					rows[i] = []string{c.ID, version, c.Trust, c.ReadOnly, strings.Join(c.Abilities, " "), cmp.Or(strings.Join(c.Beyond, " "), "-"), cmp.Or(strings.Join(c.Connections, " "), "-"), c.Path}
					if c.Problem != "" {
						rows[i] = []string{c.ID, "", "refused", "", c.Problem, "", "", c.Path}
					}
				}
				return a.term.Table([]string{"CONNECTOR", "VERSION", "TRUST", "READ-ONLY BY", "ABILITIES", "ALLOWS BEYOND", "USED BY", "PATH"}, rows)
			})
		},
	}
	cmd.Flags().BoolVar(&outdated, "outdated", false, "ask the indexes of installed connectors for newer versions")
	return cmd
}

// listConnectors returns the installed connectors and those that connections name by path.
func listConnectors(ctx context.Context, services *Services) ([]connectorDocument, error) {
	found := []connectorDocument{}
	for _, c := range services.Connectors.List() {
		found = append(found, newConnectorDocument(c, services.Install.Level(c)))
	}
	current, err := services.Project.Current(ctx)
	if err != nil {
		if sdk.KindOf(err) == sdk.KindNotFound {
			err = nil // there is no project
		}
		return found, err
	}
	for _, c := range current.Connections.All() {
		of := -1
		if c.Path == "" {
			of = slices.IndexFunc(found, func(d connectorDocument) bool { return d.ID == c.Connector && d.Trust != "path" })
		} else if with, err := services.Connectors.Find(c.Connector, c.Path); err == nil {
			d := newConnectorDocument(with, services.Install.Level(with))
			of = slices.IndexFunc(found, func(have connectorDocument) bool { return have.Trust == d.Trust && have.Path == d.Path })
			if of < 0 {
				of = len(found)
				found = append(found, d)
			}
		}
		if of >= 0 {
			found[of].Connections = append(found[of].Connections, string(c.ID))
		}
	}
	return found, nil
}

func addNewest(ctx context.Context, services *Services, found []connectorDocument) error {
	newer, err := services.Install.Outdated(ctx, "", false)
	for _, n := range newer {
		for i := range found {
			if found[i].ID == n.ID && found[i].Trust != "path" {
				found[i].Newest = n.Newest
			}
		}
	}
	return err
}

func (a *commands) updateCommand() *cobra.Command {
	var check, major bool
	q := install.Request{}
	cmd := &cobra.Command{
		Use:   "update [CONNECTOR]",
		Short: "Install the newest versions that the project allows",
		Long: `Installs the newest version of each installed connector, or of one, that its constraint in
loam.yaml and the contract of this Loam allow. It prints how the two differ: key, environment,
SQL, capabilities and dialect. A version that gets more of the environment, allows more SQL,
refuses less or has a weaker read-only mechanism is asked about even with --yes. The version before stays installed; see
loam connector rollback.`,
		Example: "  loam connector update --check\n  loam connector update acme/foodb --yes",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.installing(cmd.Context(), func(s *install.Service) error {
				newer, err := s.Outdated(cmd.Context(), first(args), major)
				if err != nil {
					return err
				}
				if check {
					for i, n := range newer {
						if n.Newest != n.Version {
							if err := s.Compare(cmd.Context(), &newer[i]); err != nil {
								return err
							}
						}
					}
					return a.printNewer(newer)
				}
				if major {
					q.Constraint = "*"
				}
				results := []install.Result{}
				for _, n := range newer {
					if n.Newest == n.Version {
						continue
					}
					q.Source, q.User = n.ID, n.User
					r, err := s.Install(cmd.Context(), a.asking(q))
					if err != nil {
						return err
					}
					results = append(results, r)
				}
				return a.printInstalled(results)
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&check, "check", false, "only list what would be installed, and how it differs; it is fetched and verified")
	flags.BoolVar(&major, "major", false, "also versions that loam.yaml does not allow")
	approvalFlags(cmd, &q)
	return cmd
}

func (a *commands) printNewer(newer []install.Newer) error {
	return a.term.Answer(map[string]any{"connectors": newer}, func() error {
		rows := make([][]string, len(newer))
		for i, n := range newer {
			rows[i] = []string{n.ID, n.Version, n.Newest}
		}
		if err := a.term.Table([]string{"CONNECTOR", "LOCKED", "NEWEST"}, rows); err != nil {
			return err
		}
		for _, n := range newer {
			for _, line := range changeLines("  ", n.Changes) {
				a.term.Infof("%s %s %s", n.ID, n.Newest, terminal.EscapeText(line))
			}
			if len(n.Wider) > 0 {
				a.term.Infof("%s %s   gets more: %s", n.ID, n.Newest, terminal.EscapeText(strings.Join(n.Wider, ", ")))
			}
		}
		return nil
	})
}

func (a *commands) rollbackCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rollback CONNECTOR",
		Short:   "Use the version that was locked before",
		Long:    "Locks the version of a connector that was locked before the current one. It is still installed, and no network is used.",
		Example: "  loam connector rollback acme/foodb",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.installing(cmd.Context(), func(s *install.Service) error {
				version, err := s.Rollback(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.term.Done(map[string]any{"id": args[0], "version": version}, "%s is locked at %s again", args[0], version)
			})
		},
	}
}

func (a *commands) removeCommand() *cobra.Command {
	var keepLock bool
	cmd := &cobra.Command{
		Use:     "remove CONNECTOR",
		Short:   "Remove an installed connector",
		Long:    "Removes all versions of a connector from this machine, and takes it out of the project's lock. Other projects on this machine install it again with: loam connector install",
		Example: "  loam connector remove acme/foodb",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.installing(cmd.Context(), func(s *install.Service) error {
				if err := s.Remove(cmd.Context(), args[0], keepLock); err != nil {
					return err
				}
				return a.term.Done(map[string]any{"removed": args[0]}, "%s is removed", args[0])
			})
		},
	}
	cmd.Flags().BoolVar(&keepLock, "keep-lock", false, "leave it in connectors.lock")
	return cmd
}

func (a *commands) mirrorCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "mirror DIR",
		Short:   "Copy the locked connectors for sites without a network",
		Long:    "Copies the locked versions of all connectors for all locked platforms into a folder, with the signed indexes that name them. Each folder printed is an index: loam connector install --index FOLDER",
		Example: "  loam connector mirror ./mirror",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.installing(cmd.Context(), func(s *install.Service) error {
				folders, err := s.Mirror(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.term.Done(map[string]any{"indexes": folders}, "mirrored to %s", strings.Join(folders, ", "))
			})
		},
	}
}

func (a *commands) connectorTrustCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the keys that are trusted on this machine", Example: "  loam connector trust list", Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.installing(cmd.Context(), func(s *install.Service) error {
				keys, err := s.Keys()
				if err != nil {
					return err
				}
				return a.term.Answer(map[string]any{"keys": keys}, func() error {
					rows := make([][]string, len(keys))
					for i, k := range keys {
						rows[i] = []string{k.Pattern, k.Key, k.SeenAt.Format("2006-01-02"), k.Source}
					}
					return a.term.Table([]string{"CONNECTORS", "KEY", "SINCE", "FROM"}, rows)
				})
			})
		},
	}
	add := &cobra.Command{
		Use: "add KEY PATTERN", Short: "Trust a key for the connectors of a publisher",
		Example: "  loam connector trust add RWTx5Zr1tiHQLwG9keckT0c45M3AGeHD6IvimQHpyRywVWGbP1aVSGav 'acme/*'", Args: command.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.installing(cmd.Context(), func(s *install.Service) error {
				if err := s.Trust(cmd.Context(), args[0], args[1]); err != nil {
					return err
				}
				return a.term.Done(map[string]any{"key": args[0], "pattern": args[1]}, "%s may sign %s", args[0], args[1])
			})
		},
	}
	remove := &cobra.Command{
		Use: "remove KEY", Short: "Trust a key no more", Long: "Forgets a key. What it signed stays installed: see loam connector remove.",
		Example: "  loam connector trust remove RWTx5Zr1tiHQLwG9keckT0c45M3AGeHD6IvimQHpyRywVWGbP1aVSGav", Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.installing(cmd.Context(), func(s *install.Service) error {
				n, err := s.Distrust(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.term.Done(map[string]any{"key": args[0], "removed": n}, "%s is trusted no more", args[0])
			})
		},
	}
	return command.Group("trust", "List, add and remove the keys that may sign connectors", list, add, remove)
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
