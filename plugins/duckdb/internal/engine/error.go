//go:build cgo

package engine

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Error is what the library says of a failure.
type Error struct {
	// Type is the library's own class: "Parser", "Binder", "IO", "INTERRUPT".
	Type string
	// Subtype, Name and Entry say more of an unknown name: "MISSING_ENTRY",
	// "custmers", "Table". Candidates are the names that it may have meant.
	Subtype, Name, Entry string
	Candidates           []string
	Msg                  string
	// Offset is the place in the statement in bytes, -1 where there is none.
	Offset int
}

func (e *Error) Error() string { return e.Type + ": " + e.Msg }

var (
	// ErrEmpty: the text has no statement.
	ErrEmpty = errors.New("there is no statement in the text")
	// ErrSeveral: the text has several statements, or one that the library makes
	// several of.
	ErrSeveral = errors.New("the text has several statements")
)

// nativeError is the form of an error under errors_as_json.
type nativeError struct {
	Type       string `json:"exception_type"`
	Message    string `json:"exception_message"`
	Subtype    string `json:"error_subtype"`
	Name       string `json:"name"`
	Entry      string `json:"type"`
	Candidates string `json:"candidates"`
	Position   string `json:"position"`
}

// parseError reads an error as JSON, or in the form "Binder Error: …" that an
// error has while a database is opened.
func parseError(message string) *Error {
	_, object, _ := strings.Cut(message, "{")
	var native nativeError
	if err := json.Unmarshal([]byte("{"+object), &native); err == nil && native.Type != "" {
		e := &Error{Type: native.Type, Msg: native.Message, Subtype: native.Subtype, Name: native.Name, Entry: native.Entry, Offset: -1}
		if native.Candidates != "" {
			e.Candidates = strings.Split(native.Candidates, ",")
		}
		if at, err := strconv.Atoi(native.Position); err == nil {
			e.Offset = at
		}
		return e
	}
	class, rest, found := strings.Cut(message, " Error: ")
	if !found {
		return &Error{Type: "Unknown", Msg: message, Offset: -1}
	}
	return &Error{Type: class, Msg: rest, Offset: -1}
}
