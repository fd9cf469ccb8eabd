package workspace

import (
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/sdk"
)

// Categories of errors.
const (
	categoryPermission  = "permission"
	categoryTimeout     = "timeout"
	categoryConnection  = "connection"
	categorySyntax      = "syntax"
	categoryMissing     = "missing"
	categoryLimit       = "limit"
	categoryConflict    = "conflict"
	categoryUnsupported = "unsupported"
	categoryOther       = "other"
)

// category is what is known about a kind of errors.
type category struct {
	name  string
	kinds []sdk.Kind // whose errors are of the category
	words []string   // whole words or phrases of normalised messages
	steps []string   // to find the cause
}

// categories are in the order in which their words count.
var categories = []category{
	{categoryPermission, []sdk.Kind{sdk.KindDenied, sdk.KindUnauthenticated, sdk.KindNotReadOnly},
		[]string{"permission denied", "access denied", "forbidden", "unauthorized", "not authorized", "authentication", "password", "credentials", "read-only", "privilege"},
		[]string{"Find out which account the connection uses: loam status.", "List the rights of this account on the objects that the error names.", "Compare with an object that the account can read."}},
	{categoryTimeout, []sdk.Kind{sdk.KindTimeout, sdk.KindCanceled},
		[]string{"timeout", "timed out", "deadline exceeded", "canceling statement", "cancelled", "canceled"},
		[]string{"Read the plan of the statement with explain_query.", "Run it on a narrower period, and with fewer columns.", "Compare its time with the connection's limits.timeout."}},
	{categoryLimit, []sdk.Kind{sdk.KindLimit, sdk.KindRateLimited},
		[]string{"out of memory", "too many", "quota", "rate limit", "disk full", "no space left", "exceeds", "too large", "resources exceeded"},
		[]string{"Find out which limit the error names, and its value.", "Ask for fewer rows or columns, or aggregate in the warehouse.", "Look for other work that uses the same quota."}},
	{categoryConnection, []sdk.Kind{sdk.KindUnavailable},
		[]string{"connection refused", "connection reset", "could not connect", "unreachable", "no such host", "broken pipe", "network", "unavailable", "tls", "certificate", "eof"},
		[]string{"Check the connection and each of its steps: loam connection test.", "Check that the host name resolves and the port answers from this machine.", "Find out when it last worked: loam status."}},
	{categorySyntax, []sdk.Kind{sdk.KindSyntax, sdk.KindInvalid},
		[]string{"syntax error", "parse error", "parsing", "unexpected token", "unexpected", "invalid input", "mismatched input", "type mismatch", "cannot cast"},
		[]string{"Read the position that the error names.", "Check the statement with validate, in the connection's dialect.", "Remove parts of the statement until it is accepted."}},
	{categoryMissing, []sdk.Kind{sdk.KindNotFound},
		[]string{"not found", "does not exist", "no such", "unknown column", "unknown table", "undefined", "invalid identifier", "cannot find", "missing"},
		[]string{"Search for the name with discover_data.", "Compare its spelling, schema and quotes with entity_details.", "Scan again if the warehouse changed: loam scan."}},
	{categoryConflict, []sdk.Kind{sdk.KindConflict},
		[]string{"deadlock", "lock", "locked", "serialization failure", "conflict", "already exists", "duplicate key", "concurrent"},
		[]string{"Find out what else uses the same object at this time.", "Run it again alone."}},
	{categoryUnsupported, []sdk.Kind{sdk.KindUnsupported},
		[]string{"not supported", "unsupported", "not implemented"},
		[]string{"Look for the feature in the manual of this version of the engine.", "Write it with what the dialect has."}},
	{categoryOther, []sdk.Kind{sdk.KindInternal}, nil,
		[]string{"Reduce it to the smallest call that fails.", "Find out what changed since it last worked.", "Read the log around the time of the error: loam mcp logs."}},
}

func categoryNames() []string {
	names := make([]string, len(categories))
	for i := range categories {
		names[i] = categories[i].name
	}
	return names
}

// steps returns what finds the cause of an error of a category.
func steps(name string) []string {
	at := slices.IndexFunc(categories, func(c category) bool { return c.name == name })
	return slices.Clone(categories[at].steps)
}

// fact returns the category of an error from the code of a Loam error: in the context, or where the message begins
// with it. "" = there is no such code.
func fact(context map[string]string, message string) string {
	code, _, _ := strings.Cut(message, ":")
	for _, said := range []string{context["code"], code} {
		said = strings.ToLower(strings.TrimSpace(said))
		for i := range categories {
			if slices.Contains(categories[i].kinds, sdk.Kind(said)) {
				return categories[i].name
			}
		}
	}
	return ""
}

// categoryOf returns the category of an error: by a fact, else by the words of the message and then of the context.
func categoryOf(context map[string]string, message string) string {
	if known := fact(context, message); known != "" {
		return known
	}
	texts := []string{message}
	for _, key := range slices.Sorted(maps.Keys(context)) {
		texts = append(texts, context[key])
	}
	for _, text := range texts {
		said := note.Normalize(text)
		for i := range categories {
			if slices.ContainsFunc(categories[i].words, func(w string) bool { return note.HasWord(said, w) }) {
				return categories[i].name
			}
		}
	}
	return categoryOther
}
