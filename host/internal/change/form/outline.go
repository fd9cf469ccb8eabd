package form

import (
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// outline is the body of a page as sections of blocks.
type outline struct {
	text     string
	sections []section
}

// section is a heading with the blocks up to the next one.
// Units: bytes of the text; ends are behind the last character and before its line end.
type section struct {
	// path are the headings that it is under and its own, below the page's title.
	path     []string
	level    int // of the heading, 0 = the text before the first one
	from, to int // of the heading
	blocks   []block
	aside    bool // the text before the page's title
}

// block is a paragraph, an entry of a list, a table or a fence.
type block struct {
	from, to int
	listed   bool // an entry of a list
	open     bool // a fence without an end
}

var (
	hashHeading = text.Pattern(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	underlines  = text.Pattern(`^ {0,3}(=+|-+)[ \t]*$`)
	listEntry   = text.Pattern(`^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)`)
	fenceLine   = text.Pattern("^ *(`{3,}|~{3,})")
)

// outlined reads a body.
func outlined(text string) *outline {
	o := &outline{text: text, sections: []section{{}}}
	fence, at := "", 0
	var open *block // that a further line may continue
	end := func() {
		if open != nil {
			s := &o.sections[len(o.sections)-1]
			s.blocks = append(s.blocks, *open)
			open = nil
		}
	}
	for whole := range strings.Lines(text) {
		from, to := at, at+len(strings.TrimRight(whole, "\r\n"))
		at += len(whole)
		row := text[from:to]
		heading := hashHeading().FindStringSubmatch(row)
		switch mark := fenceLine().FindStringSubmatch(row); {
		case fence != "":
			open.to = to
			if mark != nil && strings.HasPrefix(mark[1], fence) && strings.TrimSpace(row) == mark[1] {
				fence, open.open = "", false
				end()
			}
		case strings.TrimSpace(row) == "":
			end()
		case mark != nil:
			end()
			fence, open = mark[1], &block{from: from, to: to, open: true}
		case heading != nil:
			end()
			o.sections = append(o.sections, section{path: []string{heading[2]}, level: len(heading[1]), from: from, to: to})
		case open != nil && !open.listed && underlines().MatchString(row):
			title := strings.Join(strings.Fields(text[open.from:open.to]), " ")
			level := 1 + strings.Count(strings.TrimSpace(row)[:1], "-")
			o.sections = append(o.sections, section{path: []string{title}, level: level, from: open.from, to: to})
			open = nil
		case open == nil || listEntry().MatchString(row):
			end()
			open = &block{from: from, to: to, listed: listEntry().MatchString(row)}
		default:
			open.to = to
		}
	}
	end()
	o.nest()
	return o
}

// nest makes the paths of the sections. Until then each path is the own heading.
func (o *outline) nest() {
	first := 0
	for _, s := range o.sections {
		if s.level == 1 {
			first++
		}
	}
	titled := first == 1 && len(o.sections) > 1 && o.sections[1].level == 1 && len(o.sections[0].blocks) == 0
	var under []section
	for i := range o.sections {
		s := &o.sections[i]
		if titled && i < 2 {
			s.aside, s.path = i == 0, nil
			continue
		}
		for len(under) > 0 && under[len(under)-1].level >= s.level {
			under = under[:len(under)-1]
		}
		if len(under) > 0 {
			s.path = append(append([]string(nil), under[len(under)-1].path...), s.path...)
		}
		if s.level > 0 {
			under = append(under, *s)
		}
	}
}

// headings are the path of a place of the body.
func headings(place string) []string {
	if place == "" {
		return nil
	}
	path := strings.Split(place, "/")
	for i := range path {
		path[i] = unescaper.Replace(path[i])
	}
	return path
}

// named reports whether the section is that of a path. Case and space do not count.
func (s *section) named(path []string) bool {
	if s.aside || len(s.path) != len(path) {
		return false
	}
	for i := range path {
		if !strings.EqualFold(strings.Join(strings.Fields(s.path[i]), " "), strings.Join(strings.Fields(path[i]), " ")) {
			return false
		}
	}
	return true
}

// section returns the first section of a path, -1 = none.
func (o *outline) section(path []string) int {
	for i := range o.sections {
		if o.sections[i].named(path) {
			return i
		}
	}
	return -1
}

// under returns the place of the first section behind all that are below one.
func (o *outline) under(at int) int {
	end := at + 1
	level := o.sections[at].level
	if len(o.sections[at].path) == 0 {
		level = 0 // everything is below the title
	}
	for end < len(o.sections) && o.sections[end].level > level {
		end++
	}
	return end
}

// place is where a text is: blocks[first:last] of a section.
type place struct{ section, first, last int }

// find returns the last place of a text that is one or several whole blocks of the
// sections of a path.
func (o *outline) find(path []string, text string) (p place, found bool) {
	for i := range o.sections {
		s := &o.sections[i]
		if !s.named(path) {
			continue
		}
		for first := range s.blocks {
			end := s.blocks[first].from + len(text)
			if !strings.HasPrefix(o.text[s.blocks[first].from:], text) {
				continue
			}
			for last := first; last < len(s.blocks); last++ {
				if s.blocks[last].to == end {
					p, found = place{i, first, last + 1}, true
				}
			}
		}
	}
	return p, found
}

// contentEnd returns where the last character of a section is over: of its last block,
// else of its heading; 0 = it has neither.
func (o *outline) contentEnd(at int) int {
	s := &o.sections[at]
	if len(s.blocks) > 0 {
		return s.blocks[len(s.blocks)-1].to
	}
	return s.to
}
