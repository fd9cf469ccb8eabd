package wire

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
)

// Scrubber removes secrets from texts that leave a process: error messages and
// log lines. It keeps all secrets, because an error may come after its
// connection was closed.
// Concurrency: safe for several goroutines.
type Scrubber struct {
	mu      sync.RWMutex
	secrets []string // each in all spellings, longest first
}

const (
	scrubbed = "[redacted]"
	// shortSecret is the length below which a secret is taken out only where it
	// stands alone: "a" is in every text, and a text full of holes tells where.
	shortSecret = 4
)

// Add adds the secrets of a configuration.
func (s *Scrubber) Add(config sdk.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range config.Secrets {
		for _, spelling := range spellings(secret.Reveal()) {
			if spelling != "" && !slices.Contains(s.secrets, spelling) {
				s.secrets = append(s.secrets, spelling)
			}
		}
	}
	slices.SortStableFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}

// spellings returns the ways in which drivers print a value: as it is, in a
// URL, in JSON and without the white space around it (a key read from a file).
func spellings(value string) []string {
	trimmed := strings.TrimSpace(value)
	all := []string{value, trimmed, url.QueryEscape(trimmed), url.PathEscape(trimmed), url.UserPassword("", trimmed).String()[1:]}
	if quoted, err := json.Marshal(trimmed); err == nil {
		all = append(all, string(quoted[1:len(quoted)-1]))
	}
	return all
}

// Scrub returns text without any secret.
func (s *Scrubber) Scrub(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, secret := range s.secrets {
		if len(secret) >= shortSecret {
			text = strings.ReplaceAll(text, secret, scrubbed)
		} else {
			text = replaceAlone(text, secret)
		}
	}
	return text
}

// replaceAlone replaces secret where no letter or digit touches it.
func replaceAlone(text, secret string) string {
	var out strings.Builder
	from := 0
	for from < len(text) {
		at := strings.Index(text[from:], secret)
		if at < 0 {
			break
		}
		at += from
		end := at + len(secret)
		out.WriteString(text[from:at])
		if (at == 0 || !wordByte(text[at-1])) && (end == len(text) || !wordByte(text[end])) {
			out.WriteString(scrubbed)
		} else {
			out.WriteString(secret)
		}
		from = end
	}
	out.WriteString(text[from:])
	return out.String()
}

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Error returns a copy of err, as an *sdk.Error, whose texts are scrubbed; nil
// for nil. The copy wraps no error, whose text would not be scrubbed.
func (s *Scrubber) Error(err error) *sdk.Error {
	e := sdk.AsError(err, sdk.SourceConnector)
	if e == nil {
		return nil
	}
	clean := *e
	if clean.Msg == "" && clean.Err != nil {
		clean.Msg = clean.Err.Error()
	}
	clean.Err = nil
	clean.Op, clean.Msg, clean.Hint = s.Scrub(e.Op), s.Scrub(clean.Msg), s.Scrub(e.Hint)
	clean.Code, clean.QueryID = s.Scrub(e.Code), s.Scrub(e.QueryID)
	clean.Candidates = nil
	for _, name := range e.Candidates {
		clean.Candidates = append(clean.Candidates, s.Scrub(name))
	}
	return &clean
}

func (s *Scrubber) diagnostic(d sdk.Diagnostic) sdk.Diagnostic {
	d.Summary, d.Detail, d.Path = s.Scrub(d.Summary), s.Scrub(d.Detail), s.Scrub(d.Path)
	return d
}

func (s *Scrubber) step(t sdk.TestStep) sdk.TestStep {
	t.Err, t.Detail = s.Error(errorOf(t.Err)), s.Scrub(t.Detail)
	return t
}

func (s *Scrubber) progress(p sdk.Progress) sdk.Progress {
	p.Phase, p.Unit, p.Message = s.Scrub(p.Phase), s.Scrub(p.Unit), s.Scrub(p.Message)
	return p
}

func (s *Scrubber) warning(w sdk.Warning) sdk.Warning {
	w.Object, w.Message = s.Scrub(w.Object), s.Scrub(w.Message)
	return w
}
