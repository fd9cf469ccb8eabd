package skill

import (
	"net/url"
	"path"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// A link of Markdown, inline or as a definition, is relative to the folder of the skill.
var (
	inlineLink = text.Pattern(`\]\(\s*<?([^)\s>]+)`)
	definition = text.Pattern(`^\[[^\]]+\]:\s*<?([^\s>]+)`)
	inlineCode = text.Pattern("`+[^`]*`+")
)

// outside are the schemes of links that lead to no file.
var outside = map[string]bool{"http": true, "https": true, "mailto": true}

// checkLinks refuses links to files that are not in the skill's folder. Code has no links.
// Errors: KindInvalid with the link.
func (s *Skill) checkLinks() error {
	fence := ""
	for line := range strings.Lines(s.Body) {
		line = strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fence = line[:3]
			continue
		}
		line = inlineCode().ReplaceAllString(line, "")
		for _, m := range append(inlineLink().FindAllStringSubmatch(line, -1), definition().FindAllStringSubmatch(line, -1)...) {
			if !inside(m[1]) {
				return invalid("the link %.80s leads out of the folder of the skill", m[1]).WithHint("link only files in the folder of the skill, by their relative path, and pages of the web")
			}
		}
	}
	return nil
}

// inside reports whether a link leads to a part of the page, a file in the folder, or the web.
func inside(link string) bool {
	u, err := url.Parse(link)
	switch {
	case err != nil || strings.Contains(link, `\`):
		return false
	case u.Scheme != "" || u.Host != "":
		return outside[u.Scheme] && !strings.HasPrefix(link, "//")
	case u.Path == "":
		return true
	}
	clean := path.Clean(u.Path)
	return !path.IsAbs(clean) && clean != ".." && !strings.HasPrefix(clean, "../")
}
