package wiki

import (
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// glossaryKey is the page with the abbreviations of a project, or of a user.
const glossaryKey = "glossary"

// Glossary returns the meanings of the project's abbreviations from the page
// "glossary"; the user's page adds to the global one. List items, lines that
// begin in bold, and table rows define one each; all other text is ignored:
//
//   - ARR: annual recurring revenue
//     **ARR** – annual recurring revenue; annualised revenue
//     | ARR | annual recurring revenue |
//
// Several meanings stand on several lines, or with semicolons between them. A
// meaning ends with its first sentence; text in parentheses is left out.
// Shape: as written, for text.Analyzer.With. It must not be changed.
func (v *View) Glossary() map[string][]string { return v.glossary }

const (
	maxShort    = 5 // words; what is longer before a colon is a sentence
	maxGlossary = 10_000
)

var (
	inBold    = text.Pattern(`^(?:\*\*|__)([^*_]+)(?:\*\*|__)(.*)$`)
	separator = text.Pattern(`^(?::|\s*[–—=-]\s)\s*`)
	separates = text.Pattern(`:\s|\s[–—=-]\s`)
	remark    = text.Pattern(`\([^()]*\)`)
	underline = text.Pattern(`^[-:| ]+$`)
)

// glossary reads the text of a page as Glossary says.
func glossary(body string) map[string][]string {
	all := map[string][]string{}
	add := func(short, meanings string) {
		short = strings.Trim(short, " \t*_`")
		if short == "" || len(strings.Fields(short)) > maxShort || len(all) == maxGlossary {
			return
		}
		for meaning := range strings.SplitSeq(remark().ReplaceAllString(meanings, " "), ";") {
			meaning, _, _ = strings.Cut(strings.TrimSpace(meaning), ". ")
			if meaning = strings.Trim(meaning, " \t*_`."); meaning != "" {
				all[short] = append(all[short], meaning)
			}
		}
	}
	var row []string // of a table, which is its heading if it is underlined
	for line := range prose(body) {
		if row != nil && !underline().MatchString(line) {
			add(row[1], row[2])
		}
		row = nil
		if strings.HasPrefix(line, "|") {
			if cells := strings.Split(line, "|"); len(cells) > 3 && !underline().MatchString(line) {
				row = cells
			}
			continue
		}
		add(definition(line))
	}
	if row != nil {
		add(row[1], row[2])
	}
	return all
}

// definition returns what a line defines, if anything.
func definition(line string) (short, meanings string) {
	entry, listed := strings.CutPrefix(line, "- ")
	for _, mark := range []string{"* ", "+ "} {
		if !listed {
			entry, listed = strings.CutPrefix(line, mark)
		}
	}
	entry = strings.TrimSpace(entry)
	if m := inBold().FindStringSubmatch(entry); m != nil {
		short, colon := strings.CutSuffix(m[1], ":")
		if at := separator().FindStringIndex(m[2]); at != nil {
			return short, m[2][at[1]:]
		}
		if colon {
			return short, m[2]
		}
		return "", ""
	}
	if at := separates().FindStringIndex(entry); listed && at != nil {
		return entry[:at[0]], entry[at[1]:]
	}
	return "", ""
}

// Abbreviations returns the abbreviations that the body of a glossary defines, with their meanings; see View.Glossary.
func Abbreviations(body string) map[string][]string { return glossary(body) }
