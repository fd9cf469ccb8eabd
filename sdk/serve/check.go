package serve

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/loam-data/loam/sdk"
)

// envLoam names the environment variable with the path of loam; without it, loam is
// looked for in PATH.
const envLoam = "LOAM"

// errChecks ends check when a check has failed, which loam has shown.
var errChecks = errors.New("checks failed")

// check runs "loam connector check" on this program: the suite is not linked into
// connectors. Its flags are loam's.
func (p *program) check(ctx context.Context, args []string) error {
	self, err := p.executable()
	if err != nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the path of this program is unknown: %w", err)
	}
	loam, err := exec.LookPath(cmp.Or(p.getenv(envLoam), "loam"))
	if err != nil {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "loam, which checks connectors, is not there: %w", err).
			WithHint("install loam, or set %s to its path", envLoam)
	}
	cmd := exec.CommandContext(ctx, loam, append([]string{"connector", "check", self}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, p.stdout, p.stderr
	err = cmd.Run()
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case failed && exit.ExitCode() == exitUsage:
		return errUsage
	case failed:
		return errChecks
	}
	return err
}
