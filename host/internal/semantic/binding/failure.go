package binding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Sentence returns the message of an error with one full stop.
func Sentence(err error) string {
	return strings.TrimSuffix(sdk.AsError(err, sdk.SourceHost).Msg, ".") + "."
}

// OwnFault reports whether the statement itself may cause an error.
func OwnFault(err error) bool {
	switch sdk.KindOf(err) {
	case sdk.KindUnavailable, sdk.KindUnauthenticated, sdk.KindTimeout, sdk.KindCanceled, sdk.KindRateLimited, sdk.KindLimit, sdk.KindDenied:
		return false
	}
	return true
}

// Writable returns an error for a dialect in which no query can be written.
// Errors: *refusal.Error with CodeUnsupported where newer servers have a usable
// dialect, else KindUnsupported.
func Writable(c connection.Connection, known warehouse.Known, d *dialect.Dialect) error {
	var lacks string
	switch {
	case d == nil:
		lacks = "describes no SQL dialect"
	case len(d.Forms) == 0:
		lacks = fmt.Sprintf("describes how dialect %s is read, and not how it is written (forms)", d.Name)
	case len(d.Functions) > 0:
		return nil
	case d.MaxVersion != "" && slices.ContainsFunc(known.Description.Dialects, func(o dialect.Dialect) bool { return len(o.Functions) > 0 }):
		return &refusal.Error{
			Code:    refusal.CodeUnsupported,
			Message: fmt.Sprintf("the semantic layer needs %s %s or later, and the server of connection %s is older", d.Name, d.MaxVersion, c.ID),
			Fix:     "write SQL with sql_execution, or upgrade the server",
		}
	default:
		lacks = fmt.Sprintf("describes how dialect %s is read, and not how it is written (functions)", d.Name)
	}
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "connector %s %s, so the semantic layer cannot query connection %s", c.Connector, lacks, c.ID).
		WithHint("install a version of the connector that describes its dialect in full, or write SQL with sql_execution")
}
