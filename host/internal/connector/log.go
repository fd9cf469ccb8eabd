package connector

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// relog writes the lines of a connector's standard error to the host's log: JSON entries as
// entries, other lines as text.
type relog struct {
	log   *slog.Logger
	scrub func(string) string
	notes *crashNotes
	// budget bounds what is logged.
	budget *logBudget
	dying  bool // a panic began; the following lines are its stack
}

// line logs one line. Concurrency: one goroutine.
func (r *relog) line(line []byte, cut bool) {
	if len(line) == 0 {
		return
	}
	if r.budget.full(len(line)) { // to read entries costs time
		if line[0] != '{' {
			r.notes.add(r.scrub(string(line)))
		}
		return
	}
	if !cut && r.entry(line) {
		return
	}
	text := r.scrub(string(line))
	r.notes.add(text)
	level := slog.LevelDebug
	if startsPanic(text) && !r.dying {
		level, r.dying = slog.LevelError, true
	}
	if !r.log.Enabled(context.Background(), level) || !r.budget.take(len(text)) {
		return
	}
	attrs := []slog.Attr{slog.String("text", text)}
	if cut {
		attrs = append(attrs, slog.Bool("cut", true))
	}
	r.log.LogAttrs(context.Background(), level, "connector output", attrs...)
}

// entry logs a line that is a JSON log entry, with its keys, such as request_id, as attributes. It
// returns false for any other line.
func (r *relog) entry(line []byte) bool {
	if line[0] != '{' {
		return false
	}
	var fields map[string]any
	if json.Unmarshal(line, &fields) != nil {
		return false
	}
	message, ok := fields["@message"].(string)
	if !ok {
		return false
	}
	name, _ := fields["@level"].(string)
	level := levelOf(name)
	if !r.log.Enabled(context.Background(), level) || !r.budget.take(len(line)) {
		return true
	}
	var attrs []slog.Attr
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !strings.HasPrefix(key, "@") {
			attrs = append(attrs, slog.Any(r.scrub(key), scrubValue(r.scrub, fields[key])))
		}
	}
	r.log.LogAttrs(context.Background(), level, r.scrub(message), attrs...) //nolint:sloglint // the message is the connector's
	return true
}

func levelOf(name string) slog.Level {
	switch name {
	case "error":
		return slog.LevelError
	case "warn":
		return slog.LevelWarn
	case "info":
		return slog.LevelInfo
	default:
		return slog.LevelDebug
	}
}

// scrubValue removes the secrets from the strings in a decoded JSON value.
func scrubValue(scrub func(string) string, v any) any {
	switch x := v.(type) {
	case string:
		return scrub(x)
	case []any:
		for i := range x {
			x[i] = scrubValue(scrub, x[i])
		}
	case map[string]any:
		for key := range x {
			x[key] = scrubValue(scrub, x[key])
		}
	}
	return v
}
