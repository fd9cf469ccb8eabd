package redact

import (
	"encoding/base64"
	"strings"
)

// blockEnd returns the end of the PEM block at i: that of its END line, which may be
// written with \n in it, or without one that of the last line that looks encoded.
func (f *finder) blockEnd(i int) int {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	if f.nextEnd < i {
		f.nextEnd = len(f.text)
		if at := strings.Index(f.text[i:], end); at >= 0 {
			f.nextEnd = i + at
		}
	}
	if f.nextEnd < len(f.text) && !strings.Contains(f.text[i+len(begin):f.nextEnd], begin) {
		at := f.nextEnd + len(end)
		if n := strings.Index(f.rest(at, 80), dashes); n >= 0 {
			return at + n + len(dashes)
		}
		return at
	}
	to := i
	for to < len(f.text) {
		line, _, _ := strings.Cut(f.text[to:], "\n")
		start := to + len(line) - len(strings.TrimLeft(line, " \t"))
		if to > i && (start == to+len(line) || strings.TrimSpace(f.text[f.run(start, padded):to+len(line)]) != "") {
			break
		}
		to = min(to+len(line)+1, len(f.text))
	}
	return to
}

// userinfo returns where the password of a URL is whose authority begins at i, or a
// token that stands for the user's name.
func (f *finder) userinfo(i int) (from, to int) {
	run := f.text[i:f.run(i, solid)]
	authority := run
	if slash := strings.IndexAny(run, "/?#"); slash >= 0 {
		authority = run[:slash]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 && len(authority) < len(run) {
		// A slash inside of the password; user:8080/x@y has a port.
		_, port, ok := strings.Cut(authority, ":")
		if ok && strings.Trim(port, "0123456789") != "" && !strings.HasPrefix(authority, "[") {
			at = strings.LastIndexByte(run[:min(len(run), 1024)], '@')
		}
	}
	if at < 0 {
		return 0, 0
	}
	user, password, ok := strings.Cut(run[:at], ":")
	switch {
	case ok && password != "" && !placeholder(password):
		return i + len(user) + 1, i + at
	case !ok && len(user) >= 16 && random(user):
		return i, i + at
	}
	return 0, 0
}

// bearer returns what stands behind the scheme of an Authorization header at i.
func (f *finder) bearer(i int) (from, to int) {
	head := strings.ToLower(f.rest(i, 7))
	switch {
	case head == "bearer ":
		from = i + 7
		to = trimEnd(f.text, from, f.run(from, padded))
		if to-from >= 16 && random(f.text[from:to]) {
			return from, to
		}
	case strings.HasPrefix(head, "basic "):
		from = i + 6
		to = f.run(from, padded)
		decoded, err := base64.StdEncoding.DecodeString(f.text[from:min(to, from+1024)])
		if err == nil && to-from >= 6 && strings.Contains(string(decoded), ":") {
			return from, to
		}
	}
	return 0, 0
}

// trimEnd takes the punctuation of the sentence off the end of a run.
func trimEnd(text string, from, to int) int {
	for to > from && strings.IndexByte(".,;:!?)]}", text[to-1]) >= 0 {
		to--
	}
	return to
}
