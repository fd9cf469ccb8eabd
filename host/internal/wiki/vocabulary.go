package wiki

import (
	"math/bits"
	"strings"
)

// vocabulary is a Bloom filter of the trigrams of bytes of a text in lower case; nil = a text without any. With four to
// eight bits per trigram and one hash, a word of six letters that a text does not have passes once in some 700 times.
type vocabulary []uint64

const (
	trigram        = 3
	bitsPerTrigram = 4
)

// vocabularyOf makes the vocabulary of a text.
func vocabularyOf(text string) vocabulary {
	folded := strings.ToLower(text)
	if len(folded) < trigram {
		return nil
	}
	seen := make(map[uint32]struct{}, min(len(folded), 512))
	for i := range len(folded) - trigram + 1 {
		seen[trigramAt(folded, i)] = struct{}{}
	}
	v := make(vocabulary, 1<<bits.Len(uint(len(seen)*bitsPerTrigram/64)))
	for t := range seen {
		word, bit := v.at(t)
		v[word] |= bit
	}
	return v
}

func trigramAt(text string, i int) uint32 {
	return uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16
}

// at is the place of a trigram. Source: Fibonacci hashing, Knuth, The Art of Computer Programming 3, 6.4.
func (v vocabulary) at(t uint32) (word int, bit uint64) {
	h := uint64(t) * 0x9e3779b97f4a7c15 >> 32
	return int(h>>6) & (len(v) - 1), 1 << (h & 63)
}

// MayHave reports whether the text of a page may have a word, in lower case, as a part of it: false = it has not.
func (p *Page) MayHave(word string) bool {
	for i := range len(word) - trigram + 1 {
		if p.words == nil {
			return false
		}
		if at, bit := p.words.at(trigramAt(word, i)); p.words[at]&bit == 0 {
			return false
		}
	}
	return true
}
