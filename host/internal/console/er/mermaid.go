package er

import (
	"fmt"
	"strings"
	"unicode"
)

// Mermaid writes the picture as an entity relationship diagram of Mermaid. Characters of names that mean something there
// are replaced by "_".
// Source: https://mermaid.js.org/syntax/entityRelationshipDiagram.html
func (p *Picture) Mermaid() string {
	var b strings.Builder
	b.WriteString("erDiagram\n")
	for i, t := range p.Tables {
		fmt.Fprintf(&b, "    t%d[\"%s\"]", i, label(t.Name))
		if len(t.Columns) == 0 {
			b.WriteString("\n")
			continue
		}
		b.WriteString(" {\n")
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "        %s %s", word(c.Type), word(c.Name))
			if marks := c.marks(); marks != "" {
				b.WriteString(" " + marks)
			}
			b.WriteString("\n")
		}
		b.WriteString("    }\n")
	}
	for _, e := range p.Edges {
		line, to, from := "--", "||", "o|"
		if e.Inferred {
			line = ".."
		}
		if e.ToMany {
			to = "}o"
		}
		if e.FromMany {
			from = "o{"
		}
		fmt.Fprintf(&b, "    t%d %s%s%s t%d : \"%s\"\n", e.To, to, line, from, e.From, label(strings.Join(e.Columns, ", ")))
	}
	return b.String()
}

func (c *Column) marks() string {
	var all []string
	if c.Primary {
		all = append(all, "PK")
	}
	if c.Foreign {
		all = append(all, "FK")
	}
	return strings.Join(all, ", ")
}

// label returns a text that may stand in quotes.
func label(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" _.-$,()", r) {
			return r
		}
		return '_'
	}, clean(s, maxTitle))
}

// word returns a text as one word that begins with a letter.
func word(s string) string {
	w := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return '_'
	}, clean(s, maxTitle))
	if w == "" || !unicode.IsLetter([]rune(w)[0]) {
		w = "x" + w
	}
	return w
}
