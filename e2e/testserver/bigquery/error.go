package bigquery

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Error is what the service answers to a request that fails.
// Source: https://cloud.google.com/bigquery/docs/error-messages.
type Error struct {
	Status  int    // of HTTP
	Reason  string // invalidQuery, notFound, accessDenied, quotaExceeded, …
	Message string
	// Challenge is the header WWW-Authenticate of a 401.
	Challenge string
}

func (e *Error) Error() string { return e.Message + " (" + e.Reason + ")" }

// Errors of the service, for tests to plant.
var (
	QuotaExceeded = &Error{Status: http.StatusForbidden, Reason: "quotaExceeded", Message: "Quota exceeded: Your project exceeded quota for free query bytes scanned."}
	RateLimited   = &Error{Status: http.StatusForbidden, Reason: "rateLimitExceeded", Message: "Exceeded rate limits: too many concurrent queries for this project_and_region."}
	BackendError  = &Error{Status: http.StatusServiceUnavailable, Reason: "backendError", Message: "Error encountered during execution. Retrying may solve the problem."}
	Unauthorized  = &Error{
		Status: http.StatusUnauthorized, Reason: "authError",
		Message:   "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
		Challenge: `Bearer realm="https://accounts.google.com/", error="invalid_token"`,
	}
)

func invalid(format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Reason: "invalidQuery", Message: fmt.Sprintf(format, args...)}
}

func missing(format string, args ...any) *Error {
	return &Error{Status: http.StatusNotFound, Reason: "notFound", Message: "Not found: " + fmt.Sprintf(format, args...)}
}

func denied(format string, args ...any) *Error {
	return &Error{Status: http.StatusForbidden, Reason: "accessDenied", Message: "Access Denied: " + fmt.Sprintf(format, args...)}
}

// lacking refuses what BigQuery has and this fixture has not.
func lacking(format string, args ...any) *Error {
	return &Error{Status: http.StatusNotImplemented, Reason: "notImplemented", Message: "The fixture does not have " + fmt.Sprintf(format, args...)}
}

// syntaxError is about a byte of a statement.
func syntaxError(sql string, at int, message string) *Error {
	return invalid("%s at %s", message, position(sql, at))
}

// position writes a byte offset as BigQuery does: [line:column], columns in characters.
func position(sql string, at int) string {
	before := sql[:min(at, len(sql))]
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return fmt.Sprintf("[%d:%d]", line, column)
}

// fromDuck translates what DuckDB says about a translated statement.
func (t *translation) fromDuck(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	said := err.Error()
	var e struct {
		Type     string `json:"exception_type"`
		Message  string `json:"exception_message"`
		Position string `json:"position"`
		Subtype  string `json:"error_subtype"`
		Kind     string `json:"type"`
		Name     string `json:"name"`
	}
	at := strings.IndexByte(said, '{')
	if at < 0 || json.Unmarshal([]byte(said[at:]), &e) != nil {
		return invalid("%s", said)
	}
	message, _, _ := strings.Cut(e.Message, "\n")
	switch {
	case e.Subtype == "COLUMN_NOT_FOUND":
		message = "Unrecognized name: " + e.Name
	case e.Type == "Catalog" && e.Kind == "Table":
		message = "Table not found: " + e.Name
	case e.Type == "Catalog" && strings.HasSuffix(e.Kind, "Function"):
		message = "Function not found: " + e.Name
	case e.Type == "Parser":
		message = "Syntax error: " + strings.TrimPrefix(message, "syntax error ")
	}
	if n, err := strconv.Atoi(e.Position); err == nil && t.source != "" {
		return syntaxError(t.source, t.origin(n), message)
	}
	return invalid("%s", message)
}

// write answers with the error.
func (e *Error) write(w http.ResponseWriter) {
	status := map[int]string{
		http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusForbidden: "PERMISSION_DENIED",
		http.StatusNotFound: "NOT_FOUND", http.StatusConflict: "ALREADY_EXISTS", http.StatusServiceUnavailable: "UNAVAILABLE", http.StatusNotImplemented: "UNIMPLEMENTED",
	}[e.Status]
	if e.Challenge != "" {
		w.Header().Set("WWW-Authenticate", e.Challenge)
	}
	detail := map[string]any{"message": e.Message, "domain": "global", "reason": e.Reason}
	if e.Reason == "invalidQuery" {
		detail["location"], detail["locationType"] = "q", "parameter"
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(e.Status)
	send(w, map[string]any{"error": map[string]any{"code": e.Status, "message": e.Message, "errors": []any{detail}, "status": status}})
}
