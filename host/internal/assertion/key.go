package assertion

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"

	"github.com/loam-data/loam/host/internal/text"
)

// maxSlug is the longest key of a page, in bytes (spec, "Pages").
const maxSlug = 80

// Slug returns the key of a title: letters and digits of any script in lower case, with "-" between
// words, at most 80 bytes; "" = the title has no letter or digit.
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			gap = gap || r != '\''
			continue
		}
		size := utf8.RuneLen(r)
		if gap && b.Len() > 0 {
			size++
		}
		if b.Len()+size > maxSlug {
			break
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// longestStemmed is the longest word that is stemmed, in bytes.
const longestStemmed = 48

// Stem returns the stem of a word, by the Snowball stemmer of the language; for None, the word in
// lower case.
func Stem(word string, l Language) string {
	word = strings.ToLower(word)
	if len(word) > longestStemmed || strings.ContainsAny(word, "_.") {
		return word
	}
	switch l {
	case English:
		env := snowballstem.NewEnv(word)
		english.Stem(env)
		return env.Current()
	case German:
		env := snowballstem.NewEnv(word)
		german.Stem(env)
		return env.Current()
	}
	return word
}

// articles are words at the beginning of a subject that do not belong to it.
var articles = text.Words("the a an our your their its der die das den dem des ein eine einen einem einer eines unser unsere unserer le la les el los las un une una")

// Key returns the stems of a subject. Statements with equal keys have the same subject: "the Active
// Customers" and "active customer" have one key.
func Key(subject string, l Language) string {
	var stems []string
	for i, w := range words(subject) {
		if i == 0 && articles(strings.ToLower(w)) {
			continue
		}
		stems = append(stems, Stem(w, l))
	}
	return strings.Join(stems, " ")
}

// Key returns the stems of the statement's subject.
func (st *Statement) Key() string {
	if st.key != "" {
		return st.key
	}
	return Key(st.Subject, st.Language)
}

// fold returns the statement's subject in lower case.
func (st *Statement) fold() string {
	if st.folded != "" {
		return st.folded
	}
	return fold(st.Subject)
}

// words returns the words of a text: letters, digits, and the "_" and "." inside names.
func words(s string) []string {
	out := make([]string, 0, len(s)/5+1)
	from := -1
	for i, r := range s {
		in := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' ||
			from >= 0 && r == '.' && follows(s[i+1:])
		switch {
		case in && from < 0:
			from = i
		case !in && from >= 0:
			out = append(out, s[from:i])
			from = -1
		}
	}
	if from >= 0 {
		out = append(out, s[from:])
	}
	return out
}

// follows reports whether s begins with a letter, a digit or "_".
func follows(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}
