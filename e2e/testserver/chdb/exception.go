//go:build cgo && linux

package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// exception is an error of the engine, or of the front in the engine's words.
type exception struct {
	code int
	name string // SYNTAX_ERROR
	text string // without code, class and name
}

// Error returns the text as the server sends it, without the line's end.
func (e *exception) Error() string {
	text := e.text
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return fmt.Sprintf("Code: %d. DB::Exception: %s (%s) (version %s (official build))", e.code, text, e.name, engineVersion)
}

var (
	exceptionHead = regexp.MustCompile(`^Code: (\d+)\. DB::(?:\w+)?Exception: `)
	exceptionTail = regexp.MustCompile(`\.? \(([A-Z][A-Z0-9_]+)\)(?: \(version [^()]*(?:\([^()]*\))?\))?\.?\s*$`)
)

// parseException takes the library's text apart. The library wraps an exception
// that its own client threw into a second one; the inner one is what a server
// sends.
func parseException(text string) *exception {
	e := &exception{code: 1002, name: "UNKNOWN_EXCEPTION", text: text}
	for {
		m := exceptionHead.FindStringSubmatch(e.text)
		if m == nil {
			break
		}
		e.code, _ = strconv.Atoi(m[1]) // the pattern has digits only
		e.text = e.text[len(m[0]):]
	}
	for {
		m := exceptionTail.FindStringSubmatchIndex(e.text)
		if m == nil {
			return e
		}
		e.name = e.text[m[2]:m[3]]
		e.text = e.text[:m[0]]
	}
}

// statuses are the HTTP statuses that are not 500, as
// src/Server/HTTP/exceptionCodeToHTTPStatus.cpp of the server has them.
var statuses = func() map[int]int {
	m := map[int]int{
		194: http.StatusUnauthorized, 229: http.StatusRequestEntityTooLarge, 48: http.StatusNotImplemented,
		209: http.StatusServiceUnavailable, 76: http.StatusServiceUnavailable, 439: http.StatusServiceUnavailable,
		381: http.StatusLengthRequired, 159: http.StatusRequestTimeout, 779: http.StatusUnsupportedMediaType,
	}
	for _, code := range []int{192, 193, 516, 512, 497} { // who asks, and what they may
		m[code] = http.StatusForbidden
	}
	for _, code := range []int{6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675, 676} { // what they wrote
		m[code] = http.StatusBadRequest
	}
	for _, code := range []int{46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511} { // what they named
		m[code] = http.StatusNotFound
	}
	return m
}()

func (e *exception) status() int {
	if status, ok := statuses[e.code]; ok {
		return status
	}
	return http.StatusInternalServerError
}
