package serve

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"github.com/loam-data/loam/sdk/wire"
)

// newLogger writes slog records in the format of hclog, which go-plugin's
// host side reads: one JSON object a line with @level, @message and @timestamp.
func newLogger(w io.Writer, level string) *slog.Logger {
	var lowest slog.Level // info; what cannot be read stays that
	_ = lowest.UnmarshalText([]byte(level))
	return slog.New(callHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: lowest, ReplaceAttr: hclogNames})})
}

func hclogNames(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch a.Key {
	case slog.TimeKey:
		return slog.String("@timestamp", a.Value.Time().Format("2006-01-02T15:04:05.000000Z07:00"))
	case slog.LevelKey:
		return slog.String("@level", levelName(a.Value.Any().(slog.Level)))
	case slog.MessageKey:
		return slog.Attr{Key: "@message", Value: a.Value}
	}
	return a
}

func levelName(l slog.Level) string {
	switch {
	case l < slog.LevelDebug:
		return "trace"
	case l < slog.LevelInfo:
		return "debug"
	case l < slog.LevelWarn:
		return "info"
	case l < slog.LevelError:
		return "warn"
	default:
		return "error"
	}
}

// callHandler adds the connection and request that a record's context names.
type callHandler struct{ slog.Handler }

func (h callHandler) Handle(ctx context.Context, r slog.Record) error {
	r.AddAttrs(wire.LogAttrs(ctx)...)
	return h.Handler.Handle(ctx, r)
}

func (h callHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return callHandler{h.Handler.WithAttrs(attrs)}
}

func (h callHandler) WithGroup(name string) slog.Handler {
	return callHandler{h.Handler.WithGroup(name)}
}

// scrubbed takes the secrets out of every line before it leaves the process.
// Both log handlers write a line at once.
type scrubbed struct {
	to       io.Writer
	scrubber *wire.Scrubber
}

func (s *scrubbed) Write(line []byte) (int, error) {
	clean := s.scrubber.Scrub(string(line))
	if _, err := io.Copy(s.to, strings.NewReader(clean)); err != nil {
		return 0, err
	}
	return len(line), nil
}
