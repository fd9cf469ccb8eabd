package search

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestPostingsTakeFourBytes measures the postings of a segment with few documents: two bytes for the document, one for
// the impact and one for the field; and finds the last document that two bytes number, and the first that needs four.
func TestPostingsTakeFourBytes(t *testing.T) {
	t.Parallel()
	for _, documents := range []int{narrow, narrow + 1} {
		path := filepath.Join(t.TempDir(), "segment")
		write(t, path, "test", func(b *Builder) error {
			for i := range documents {
				if err := b.Add(Document{Kind: Wiki, ID: fmt.Sprintf("p%06d", i), Name: "same w" + letters(i)}); err != nil {
					return err
				}
			}
			return nil
		})
		s := open(t, path)
		width := 4
		if documents > narrow {
			width = 6
		}
		size := len(s.archive.Bytes("posting.document")) + len(s.archive.Bytes("posting.impact")) + len(s.archive.Bytes("posting.field"))
		if n := s.postings.len(); n < 2*documents || size != width*n {
			t.Errorf("%d documents: %d bytes of %d postings, want %d of each", documents, size, n, width)
		}
		for _, at := range []int{0, documents - 1} {
			c := s.open([]string{"w" + letters(at)})
			if c.documents.len() != 1 || c.documents.at(0) != uint32(at) {
				t.Errorf("%d documents: the word of document %d is in %d documents", documents, at, c.documents.len())
			}
			if place, ok := s.open([]string{"same"}).documents.search(uint32(at)); !ok || place != at {
				t.Errorf("%d documents: document %d is at %d, %t", documents, at, place, ok)
			}
		}
	}
}

// letters writes a number without digits, which would be terms of their own.
func letters(n int) string {
	var text []byte
	for _, digit := range fmt.Sprintf("%06d", n) {
		text = append(text, "bcdfghjklm"[digit-'0'])
	}
	return string(text)
}
