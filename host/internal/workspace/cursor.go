package workspace

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/store"
)

// cursorAt returns the cursor of the page behind a place. print identifies the arguments of the list.
func cursorAt(p store.NotePlace, print string) *string {
	c := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %d %s", p.At.UnixMilli(), p.Seq, digest(print)))
	return &c
}

func digest(print string) string {
	const bytes = 8
	return hex.EncodeToString(note.HashOf(print)[:bytes])
}

// cursor returns the place that a cursor names, nil = the beginning.
func (c *checks) cursor(cursor string, offset int, print string) *store.NotePlace {
	if cursor == "" {
		return nil
	}
	if offset != 0 {
		c.refuse("give either a cursor or an offset", "both a cursor and an offset are given")
	}
	var at, seq int64
	var of string
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Sscanf(string(raw), "%d %d %s", &at, &seq, &of)
	}
	if err != nil || of != digest(print) {
		c.refuse("leave cursor out to begin anew", "the cursor belongs to other arguments")
		return nil
	}
	return &store.NotePlace{At: time.UnixMilli(at), Seq: seq}
}
