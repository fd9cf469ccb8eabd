package terminal

import (
	"errors"

	"github.com/loam-data/loam/sdk"
)

// ExitCodes is the table of exit codes; docs/cli.md is generated from it.
var ExitCodes = []struct {
	Code  int
	Kind  sdk.Kind
	About string
}{
	{0, "", "done"},
	{1, sdk.KindInternal, "a fault of Loam or of a connector"},
	{2, sdk.KindInvalid, "a wrong argument, flag or configuration"},
	{3, sdk.KindSyntax, "the SQL does not parse; of the commands that install connectors: refused, and nothing was changed"},
	{4, sdk.KindNotReadOnly, "the statement was refused because it may change something"},
	{5, sdk.KindNotFound, "a connection, connector, file or table does not exist"},
	{6, sdk.KindConflict, "something is in the way: it exists already, or is locked or in use"},
	{7, sdk.KindUnauthenticated, "the warehouse refused the credentials"},
	{8, sdk.KindDenied, "the account or the file system does not allow it, or nobody trusted the project with it yet"},
	{9, sdk.KindUnsupported, "this connector or engine cannot do it"},
	{10, sdk.KindLimit, "a size or count limit was reached"},
	{11, sdk.KindRateLimited, "too many requests"},
	{12, sdk.KindTimeout, "it took longer than allowed"},
	{14, sdk.KindUnavailable, "the warehouse or the connector cannot be reached; trying again may help"},
	{130, sdk.KindCanceled, "cancelled, by Ctrl-C for instance"},
	{ExitPipe, "", "the reader of the output went away"},
}

// ExitPipe is a shell's exit code for a program that SIGPIPE ended.
const ExitPipe = 141

// Exit is an error with an exit code of its own.
type Exit struct {
	Code int
	Err  error
}

func (e *Exit) Error() string { return e.Err.Error() }
func (e *Exit) Unwrap() error { return e.Err }

// ExitCode returns the exit code of an error.
func ExitCode(err error) int {
	if own, ok := errors.AsType[*Exit](err); ok {
		return own.Code
	}
	kind := sdk.KindOf(err)
	for _, row := range ExitCodes {
		if row.Kind == kind && kind != "" {
			return row.Code
		}
	}
	return 1
}
