package form

import (
	"strings"

	"github.com/loam-data/loam/host/internal/change"
)

// An insertion into a page and its removal are each other's inverse, in any order of
// several. What a removal has to know of the time before, the layout tells: Loam writes a
// blank line below a heading that it makes, and none below one that had no text.

// write puts a block into a section as After has it.
func (p *page) write(path []string, b change.Block) error {
	before, err := p.blockText(b, b.Before)
	if err != nil {
		return err
	}
	after, err := p.blockText(b, b.After)
	if err != nil {
		return err
	}
	o := outlined(p.body)
	old, there := o.find(path, before)
	if after != "" {
		if _, done := o.find(path, after); done {
			return nil
		}
	}
	switch {
	case before != "" && !there && after != "":
		return conflict(b.Place)
	case before != "" && there && after != "":
		p.body = o.replaced(old, after)
	case after != "":
		p.body = o.added(path, after)
	case there:
		p.body = o.without(old, false)
		return nil
	default:
		return nil
	}
	return p.check(o, path, after, b)
}

// check makes sure that a text that was written is a block of its section, and
// that every heading from before is still there.
func (p *page) check(before *outline, path []string, text string, b change.Block) error {
	o := outlined(p.body)
	_, found := o.find(path, text)
	first, _, _ := strings.Cut(p.body, "\n")
	if p.begin == "" && p.front.root == nil && strings.TrimSpace(first) == "---" {
		found = false // it would be frontmatter
	}
	at := 0
	for i := range o.sections {
		if s, old := &o.sections[i], before.sections[min(at, len(before.sections)-1)]; at < len(before.sections) && s.level == old.level && o.text[s.from:s.to] == before.text[old.from:old.to] {
			at++
		}
	}
	if !found || at < len(before.sections) {
		return invalid("the block at %s would change the page around it", b.Place)
	}
	return nil
}

// takeBack puts a block into a section as Before has it.
func (p *page) takeBack(path []string, b change.Block) (bool, error) {
	before, err := p.blockText(b, b.Before)
	if err != nil {
		return false, err
	}
	after, err := p.blockText(b, b.After)
	if err != nil {
		return false, err
	}
	o := outlined(p.body)
	now, there := o.find(path, after)
	switch {
	case after == "":
		b.Before, b.After = "", b.Before
		return true, p.write(path, b)
	case there && before != "":
		p.body = o.replaced(now, before)
		return true, p.check(o, path, before, b)
	case there:
		p.body = o.without(now, true)
		return true, nil
	}
	_, back := o.find(path, before)
	return back, nil
}

// blockText returns a text as a block of this page: with its line ends.
// Errors: KindInvalid for a text that is more than blocks.
func (p *page) blockText(b change.Block, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	text = strings.TrimRight(strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), " \t\n")
	o := outlined(text)
	blocks := o.sections[0].blocks
	if len(o.sections) > 1 || len(blocks) == 0 || blocks[len(blocks)-1].open || strings.ContainsRune(text, 0) {
		return "", invalid("the block at %s has a heading, a fence without an end, or no text", b.Place)
	}
	return strings.ReplaceAll(text, "\n", newline(p.begin+p.body)), nil
}

// replaced returns the text with another one at a place.
func (o *outline) replaced(at place, text string) string {
	blocks := o.sections[at.section].blocks
	return o.text[:blocks[at.first].from] + text + o.text[blocks[at.last-1].to:]
}

// added returns the text with a block at the end of a section, which is made when there is none.
func (o *outline) added(path []string, text string) string {
	nl := newline(o.text)
	known := len(path)
	at := o.section(path)
	for at < 0 && known > 0 {
		known--
		at = o.section(path[:known])
	}
	last := at
	if known < len(path) {
		last = o.under(at) - 1
		level := max(o.sections[at].level, 1)
		for i := len(path) - 1; i >= known; i-- {
			text = strings.Repeat("#", min(level+1+i-known, 6)) + " " + path[i] + nl + nl + text
		}
	}
	s := &o.sections[last]
	to := o.contentEnd(last)
	switch {
	case len(s.blocks) > 0 && known == len(path) && s.blocks[len(s.blocks)-1].listed && listEntry().MatchString(text):
		return o.text[:to] + nl + text + o.text[to:]
	case len(s.blocks) > 0 || s.level > 0 && last != at:
		return o.text[:to] + nl + nl + text + o.text[to:]
	case s.level > 0:
		return o.text[:to] + nl + text + o.text[to:]
	case len(o.sections) > 1:
		to = o.sections[1].from
		return o.text[:to] + text + nl + nl + o.text[to:]
	}
	return o.text + text + nl
}

// without returns the text without the blocks at a place. tidy: a heading that Loam
// made goes with the last block below it.
func (o *outline) without(at place, tidy bool) string {
	s := &o.sections[at.section]
	from, to := s.blocks[at.first].from, s.blocks[at.last-1].to
	first, last := at.first == 0, at.last == len(s.blocks)
	switch {
	case first && last && s.level > 0:
		if tidy {
			return o.withoutHeading(at.section, to)
		}
		return o.text[:s.to] + o.text[to:]
	case first && !last:
		return o.text[:from] + o.text[s.blocks[at.last].from:]
	case first && at.section+1 < len(o.sections):
		return o.text[:from] + o.text[to+o.gap(to, 2):]
	case first:
		return o.text[:from] + o.text[to+o.gap(to, 1):]
	case last:
		return o.text[:s.blocks[at.first-1].to] + o.text[to:]
	}
	before, behind := s.blocks[at.first-1].to, s.blocks[at.last].from
	if from-before >= behind-to {
		return o.text[:from] + o.text[behind:]
	}
	return o.text[:before] + o.text[to:]
}

// gap returns how many bytes behind a place are line ends, at most as many as lines.
func (o *outline) gap(at, most int) (size int) {
	for ; most > 0; most-- {
		switch rest := o.text[at+size:]; {
		case strings.HasPrefix(rest, "\r\n"):
			size += 2
		case strings.HasPrefix(rest, "\n"):
			size++
		}
	}
	return size
}

// withoutHeading returns the text without the only blocks of a section, which end at to, and
// without the headings over them that Loam made: those with a blank line below and with
// nothing else.
func (o *outline) withoutHeading(at, to int) string {
	end := at + 1 // behind the sections that go
	for {
		s := &o.sections[at]
		var below int
		if at+1 < end {
			below = o.sections[at+1].from
		} else {
			below = s.blocks[0].from
		}
		if o.under(at) > end || len(s.path) == 0 || strings.Count(o.text[s.to:below], "\n") < 2 {
			return o.text[:s.to] + o.text[to:]
		}
		above := &o.sections[at-1]
		switch {
		case above.level == 0 && len(above.blocks) == 0:
			return o.withoutFirst(s.from, to, end)
		case len(above.blocks) > 0 || above.level >= s.level || len(above.path) == 0:
			return o.text[:o.contentEnd(at-1)] + o.text[to:]
		}
		at--
	}
}

// withoutFirst returns the text without its first section, up to the section that is
// the next one.
func (o *outline) withoutFirst(from, to, next int) string {
	if next < len(o.sections) {
		return o.text[:from] + o.text[o.sections[next].from:]
	}
	return o.text[:from] + o.text[to+o.gap(to, 1):]
}

// like returns where a block of the path's sections begins that shares most of a text's
// words, or where the text stands elsewhere; -1 = nowhere.
func (p *page) like(path []string, text string) int {
	o := outlined(p.body)
	words := strings.Fields(strings.ToLower(text))
	best, at := 0, -1
	for i := range o.sections {
		s := &o.sections[i]
		for _, b := range s.blocks {
			own := o.text[b.from:b.to]
			if own == text {
				return b.from
			}
			if shared := sharedWords(words, own); s.named(path) && 2*shared >= len(words) && shared > best {
				best, at = shared, b.from
			}
		}
	}
	return at
}

// sharedWords counts the words that a text has too.
func sharedWords(words []string, text string) (n int) {
	there := map[string]int{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		there[w]++
	}
	for _, w := range words {
		if there[w] > 0 {
			there[w]--
			n++
		}
	}
	return n
}
