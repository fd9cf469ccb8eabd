package catalog

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// scanned is a connection with its last snapshot; nil when it was never scanned.
type scanned struct {
	connection.Connection
	snapshot *catalog.Snapshot
	dialect  *dialect.Dialect
	scope    review.Scope
}

// connection returns the connection of a request.
// Errors: KindNotFound with the known ids; KindUnavailable with catalog.ErrDamaged, KindDenied.
func (p *pages) connection(ctx context.Context, r *page.Request) (*scanned, error) {
	registry, err := p.Connections(ctx)
	if err != nil {
		return nil, err
	}
	c, err := registry.Get(connection.ID(r.Path("connection")))
	if err != nil {
		return nil, err
	}
	s := &scanned{Connection: c, dialect: p.Dialect(ctx, c)}
	if s.snapshot, err = p.Catalogs.Of(string(c.ID)).Latest(); sdk.KindOf(err) == sdk.KindNotFound {
		err = nil
	}
	s.scope = review.Scope{Connection: c.ID, Snapshot: s.snapshot, Dialect: s.dialect}
	return s, err
}

// scanned returns the connection of a request, which was scanned.
// Errors: those of connection, KindNotFound when it was never scanned.
func (p *pages) scanned(ctx context.Context, r *page.Request) (*scanned, error) {
	s, err := p.connection(ctx, r)
	if err == nil && s.snapshot == nil {
		err = sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s was never scanned", s.ID).WithHint("run loam scan %s", s.ID)
	}
	return s, err
}

// site is what all pages of a connection show.
type site struct {
	Connection string `json:"connectionId"`
	// Here is the page's entry among those of the connection.
	Here    string           `json:"-"`
	Scan    *catalog.Summary `json:"snapshot"`
	Scanned time.Time        `json:"-"`
}

func (s *scanned) site(here string) site {
	one := site{Connection: string(s.ID), Here: here}
	if s.snapshot != nil {
		scan := s.snapshot.Summary()
		one.Scan, one.Scanned = &scan, s.snapshot.ExtractedAt
	}
	return one
}

// command returns a command of loam about the connection.
func (s *scanned) command(words string, arguments ...string) string {
	all := []string{"loam catalog", words, "-c", text.ShellWord(string(s.ID))}
	for _, a := range arguments {
		all = append(all, text.ShellWord(cut(a, maxTitle)))
	}
	return strings.Join(all, " ")
}

const (
	// maxShown is how many characters of a name a page shows, and maxTitle how many it shows when the name is pointed at.
	maxShown, maxTitle = 80, 300
	// maxLinked is how long a name may be, in bytes, to be part of a link.
	maxLinked = 1024
)

// name is the name of a table or column as a page shows it.
type name string

// Cut returns as much of the name as a page shows.
func (n name) Cut() string { return cut(string(n), maxShown) }

// Title returns what is shown when a name is pointed at that was cut; "" = it was not.
func (n name) Title() string {
	if n.Cut() == string(n) {
		return ""
	}
	return cut(string(n), maxTitle)
}

// tableLink returns the address of a table's page; that of a list with it where its name is too long for an address.
func tableLink(id connection.ID, display string) string {
	if len(display) > maxLinked {
		return page.Link(section, string(id))
	}
	return page.Link(section, string(id), "table", display)
}

// cut returns the first characters of a text, and … for more.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := 0
	for at := range s {
		if n++; n > most {
			return s[:at] + "…"
		}
	}
	return s
}

// size is how many bytes texts take in HTML.
func size(texts ...string) (n int) {
	for _, s := range texts {
		n += len(s)
		for _, c := range []byte(s) {
			switch c {
			case '<', '>':
				n += 3
			case '&', '"', '\'', '+':
				n += 4
			}
		}
	}
	return n
}

// positionMark begins a cursor that is a number: no table is displayed like that.
const positionMark = `"`

// cursorOf returns the cursor of a table at a position: its name, else its position where the name is too long for an
// address.
func cursorOf(ref sdk.TableRef, position int) string {
	if display := catalog.Display(ref); len(display) <= maxLinked {
		return display
	}
	return positionMark + strconv.Itoa(position)
}

// readCursor reads a cursor; a position of -1 = it is a name. ok is false for any other text.
func readCursor(cursor string) (ref sdk.TableRef, position int, ok bool) {
	if number, is := strings.CutPrefix(cursor, positionMark); is {
		if at, err := strconv.Atoi(number); err == nil && at >= 0 {
			return ref, at, true
		}
	}
	ref, ok = catalog.Parse(cursor)
	return ref, -1, ok
}

// flat returns a text in one line, cut.
func flat(s string, most int) string {
	const longest = utf8.UTFMax * 4 // a text is looked at no further than it is shown, even if it is mostly blanks
	return cut(strings.Join(strings.Fields(s[:min(len(s), most*longest)]), " "), most)
}

// contains reports whether a text has another one in it, in any case. It does not copy ASCII.
func contains(s, lower string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(s), lower)
		}
	}
	for i := 0; i+len(lower) <= len(s); i++ {
		if (lower == "" || lowered(s[i]) == lower[0]) && strings.EqualFold(s[i:i+len(lower)], lower) {
			return true
		}
	}
	return false
}

func lowered(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// named returns a function that reports whether a table's name has a text in it; with a dot the whole name counts.
func named(wanted string) func(sdk.TableRef) bool {
	lower := strings.ToLower(wanted)
	switch {
	case lower == "":
		return func(sdk.TableRef) bool { return true }
	case strings.Contains(lower, "."):
		return func(ref sdk.TableRef) bool { return contains(catalog.Display(ref), lower) }
	}
	return func(ref sdk.TableRef) bool { return contains(ref.Name, lower) }
}

// schemaName returns the name of a schema as it is shown and asked for.
func schemaName(c, schema string) string {
	return catalog.Display(sdk.TableRef{Schema: c, Name: schema})
}

// known returns a number; nil when it is negative, which means that it is not known.
func known(n int64) *int {
	if n < 0 {
		return nil
	}
	v := int(n)
	return &v
}
