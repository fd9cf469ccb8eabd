package privacy

import (
	"embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// sense says what a word may be; a word may have several senses.
type sense uint16

const (
	given    sense = 1 << iota // a first name
	surname                    // a family name
	place                      // a city, country, colour, month, status …: no name of a person
	company                    // part of the name of a firm
	particle                   // von, de la
	title                      // Herr, Mrs
	street                     // Avenue, calle
	stop                       // a function word of running text
)

//go:embed word/*.txt
var wordFiles embed.FS

// words returns the dictionary. It is read when the first column is judged: most
// processes judge none.
var words = sync.OnceValue(func() map[string]sense {
	all := map[string]sense{}
	for name, s := range map[string]sense{
		"given": given, "surname": surname, "other": place, "company": company,
		"particle": particle, "title": title, "street": street, "stop": stop,
	} {
		content, err := wordFiles.ReadFile("word/" + name + ".txt")
		if err != nil {
			panic(err) // the file is part of the program
		}
		for w := range strings.FieldsSeq(string(content)) {
			all[string(appendFolded(nil, w))] |= s
		}
	}
	return all
})

// bases are letters that stand for others in folded words.
var bases = func() map[rune]string {
	all := map[rune]string{'ß': "ss", 'æ': "a", 'œ': "o", 'ø': "o", 'ł': "l", 'đ': "d", 'ı': "i"}
	for base, letters := range map[string]string{
		"a": "áàâäãåāăą", "c": "çćč", "e": "éèêëēėęě", "i": "íìîïī", "n": "ñńň", "o": "óòôöõőō", "r": "ř",
		"s": "śšşș", "t": "ťțţ", "u": "úùûüűūů", "y": "ýÿ", "z": "źżž", "g": "ğ", "d": "ď",
	} {
		for _, r := range letters {
			all[r] = base
		}
	}
	return all
}()

// appendFolded appends the letters of a word in lower case, without accents and
// apostrophes; ä, ae and a are one, as people write names in all three ways.
func appendFolded(dst []byte, word string) []byte {
	start := len(dst)
	for i := 0; i < len(word); {
		c := word[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case 'A' <= c && c <= 'Z':
				c += 'a' - 'A'
			case c < 'a' || c > 'z':
				continue
			}
			if c == 'e' && len(dst) > start && strings.IndexByte("aou", dst[len(dst)-1]) >= 0 {
				continue
			}
			dst = append(dst, c)
			continue
		}
		r, size := utf8.DecodeRuneInString(word[i:])
		i += size
		r = unicode.ToLower(r)
		if base, ok := bases[r]; ok {
			dst = append(dst, base...)
		} else if unicode.IsLetter(r) {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// senseOf looks a word up; buffer is reused.
func senseOf(word string, buffer *[]byte) sense {
	*buffer = appendFolded((*buffer)[:0], word)
	return words()[string(*buffer)]
}
