package cli

import "github.com/loam-data/loam/sdk"

// exitCodes is the one table of exit codes; docs/cli.md is generated from it.
var exitCodes = []struct {
	code  int
	kind  sdk.Kind
	about string
}{
	{0, "", "done"},
	{1, sdk.KindInternal, "a fault of Loam or of a connector"},
	{2, sdk.KindInvalid, "a wrong argument, flag or configuration"},
	{3, sdk.KindSyntax, "the SQL does not parse"},
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
	{exitPipe, "", "the reader of the output went away"},
}

// exitPipe is what a shell reports of a program that SIGPIPE ended.
const exitPipe = 141

func exitCode(err error) int {
	kind := sdk.KindOf(err)
	for _, row := range exitCodes {
		if row.kind == kind && kind != "" {
			return row.code
		}
	}
	return 1
}
