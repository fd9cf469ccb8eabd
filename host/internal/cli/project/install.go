package project

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/install"
	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/sdk"
)

const (
	exitUsage   = 2
	exitRefused = 3
)

// installing opens the project for a command about installed connectors. Its exit codes
// are 3 for what is refused, 2 for a wrong command line, and 1 for everything else.
func (a *commands) installing(ctx context.Context, f func(*install.Service) error) error {
	return a.open(ctx, func(services *Services) error {
		err := f(services.Install)
		switch sdk.KindOf(err) {
		case "", sdk.KindCanceled:
			return err
		case sdk.KindDenied, sdk.KindUnsupported, sdk.KindLimit:
			return &terminal.Exit{Code: exitRefused, Err: err}
		case sdk.KindInvalid:
			return &terminal.Exit{Code: exitUsage, Err: err}
		}
		return &terminal.Exit{Code: exitFailed, Err: err}
	})
}

func (a *commands) installCommands() []*cobra.Command {
	return []*cobra.Command{
		a.installCommand(), a.verifyCommand(), a.lockCommand(), a.updateCommand(), a.collectCommand(), a.rollbackCommand(), a.removeCommand(), a.mirrorCommand(), a.connectorTrustCommand(),
	}
}

func (a *commands) installCommand() *cobra.Command {
	q := install.Request{}
	var project bool
	cmd := &cobra.Command{
		Use:   "install [SOURCE]",
		Short: "Install a connector, or those that the project locked",
		Long: `Installs a connector and locks it in connectors.lock. SOURCE is the id of a connector, which the
indexes of loam.yaml know, the path of an archive or of a folder of archives, the address of
an archive, or an OCI artifact: oci://HOST/REPOSITORY:TAG, the same with @DIGEST, or
oci:FOLDER:TAG. Signature, checksums, every file and the contract are verified, and nothing is
run; then it is shown what the connector gets, and asked.

Without SOURCE it installs what loam.yaml and connectors.lock name, from this machine where it
was installed before: the line for new colleagues and for CI.

With --user it is installed for all projects of this person that do not lock it themselves; the
lock is then beside the store.

Without a terminal it needs --yes, and a key that is trusted already or given with --key. Where
LOAM_TRUST=1 trusts every project, the keys that the project locked are trusted.
The exit code is 3 for what is refused; nothing was changed then.`,
		Example: "  loam connector install acme/foodb\n  loam connector install ./dist/foodb_0.3.1_linux_amd64.tar.gz\n  loam connector install oci://registry.example/acme/foodb:0.3.1\n  loam connector install --yes --key RWTx5Zr1tiHQLwG9keckT0c45M3AGeHD6IvimQHpyRywVWGbP1aVSGav",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.User && project {
				return command.Usage(cmd, "give either --user or --project")
			}
			return a.installing(cmd.Context(), func(s *install.Service) error {
				q := a.asking(q)
				for i, index := range q.Indexes {
					if !strings.Contains(index, "://") && !strings.HasPrefix(index, "oci:") {
						absolute, err := filepath.Abs(index)
						if err != nil {
							return err
						}
						q.Indexes[i] = absolute
					}
				}
				if len(args) == 0 {
					results, err := s.InstallLocked(cmd.Context(), q)
					if err != nil {
						return err
					}
					return a.printInstalled(results)
				}
				q.Source = args[0]
				r, err := s.Install(cmd.Context(), q)
				if err != nil {
					return err
				}
				return a.printInstalled([]install.Result{r})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Constraint, "version", "", `the version, or a range such as "~> 0.3"; default: that of loam.yaml, or the newest`)
	flags.BoolVar(&q.User, "user", false, "install for all projects of this person")
	flags.BoolVar(&project, "project", false, "install for this project (the default)")
	flags.StringSliceVar(&q.Platforms, "platform", nil, "install for these platforms, such as linux_amd64; default: this machine's")
	flags.StringArrayVar(&q.Indexes, "index", nil, "ask this index, an address, a folder or an OCI artifact, before those of loam.yaml (again for more)")
	approvalFlags(cmd, &q)
	return cmd
}

func approvalFlags(cmd *cobra.Command, q *install.Request) {
	flags := cmd.Flags()
	flags.StringVar(&q.Key, "key", "", "trust this public key of the publisher")
	flags.BoolVar(&q.Yes, "yes", false, "do not ask, where the key is trusted")
	flags.BoolVar(&q.AcceptWider, "accept-wider", false, "do not ask about a version that gets more than the locked one")
}

// asking lets a request ask the person, where there is a terminal.
func (a *commands) asking(q install.Request) install.Request {
	if a.term.CanAsk() {
		q.Approve = func(ctx context.Context, o *install.Offer) (bool, error) {
			questions := a.term.Questions()
			for _, line := range offerLines(o) {
				questions.Sayf("%s", terminal.EscapeText(line))
			}
			question := "Install?"
			switch {
			case o.Key == "":
				question = "It is not signed. Is SHA-256 " + o.Archive + " what its author says, and install?"
			case !o.Trusted:
				question = fmt.Sprintf("Trust key %s for %s and install?", o.Key, policy.Namespace(o.ID))
			}
			return questions.Confirm(ctx, question, false)
		}
	}
	return q
}

// offerLines is what a person sees before they approve a connector.
func offerLines(o *install.Offer) []string {
	origin := "signed by " + o.Key
	switch {
	case o.Key == "":
		origin = "not signed, SHA-256 " + o.Archive
	case !o.Trusted:
		origin += ", first seen now"
	}
	checked := "not known"
	if o.Checked != "" {
		checked = o.Checked + ", by its author"
	}
	gets := "your config and secrets of its connections; PATH HOME TZ proxies"
	if len(o.Environment) > 0 {
		gets += "; " + strings.Join(o.Environment, " ")
	}
	lines := []string{
		fmt.Sprintf("%s %s  (%s)   %s", o.ID, o.Version, o.DisplayName, origin),
		"  from              " + o.Source,
		"  reads only by     " + o.ReadOnly + " · check: " + checked,
		"  gets              " + gets,
		"  can               read and send what this user can: connectors are not sandboxed",
		"  allows SQL        " + cmp.Or(strings.Join(o.SQL, " "), "(nothing beyond the common set)"),
		fmt.Sprintf("  contract          %s; this Loam speaks 1.0–1.%d", o.Contract, sdk.ContractMinor),
	}
	if o.Interpreter != "" {
		lines = append(lines, "  run by            "+o.Interpreter)
	}
	if o.Was != "" {
		lines = append(lines, "  replaces          "+o.Was)
		lines = append(lines, changeLines("  changes           ", o.Changes)...)
	}
	if len(o.Wider) > 0 {
		lines = append(lines, "  gets more by      "+strings.Join(o.Wider, ", "))
	}
	return lines
}

// maxChanges bounds how many differences are printed; --json has all.
const maxChanges = 30

func changeLines(indent string, changes []install.Change) (lines []string) {
	for i, c := range changes {
		if i == maxChanges {
			return append(lines, fmt.Sprintf("%sand %d more: loam connector update --check --json", indent, len(changes)-i))
		}
		lines = append(lines, indent+c.String())
	}
	return lines
}

func (a *commands) printInstalled(results []install.Result) error {
	return a.term.Answer(map[string]any{"connectors": results}, func() error {
		for _, r := range results {
			if !r.Changed {
				a.term.Infof("%s %s is installed already", r.ID, r.Version)
				continue
			}
			where := "locked in connectors.lock"
			if r.User {
				where = "for all your projects that do not lock it themselves"
			}
			a.term.Infof("installed %s %s for %s; %s", r.ID, r.Version, strings.Join(r.Platforms, ", "), where)
			for _, line := range changeLines("  ", r.Differences) {
				a.term.Infof("%s", terminal.EscapeText(line))
			}
			if r.Was == "" {
				a.term.Infof("next: loam connection add NAME %s; see: loam connector show %s", r.ID, r.ID)
			}
		}
		if len(results) == 0 {
			a.term.Infof("there is nothing to install")
		}
		return nil
	})
}
