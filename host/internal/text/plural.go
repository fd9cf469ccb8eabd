package text

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// irregular plurals, and words whose s is not a plural's. A singular is never
// longer than its plural.
var irregular = words(`
	people=person children=child men=man women=woman indices=index matrices=matrix vertices=vertex
	criteria=criteria data=data media=media feet=foot geese=goose mice=mouse
	ids=id sales=sale series=series species=species news=news status=status statuses=status
	address=address addresses=address business=business businesses=business process=process
	bus=bus buses=bus gas=gas gases=gas lens=lens canvas=canvas bias=bias alias=alias aliases=alias
	analyses=analysis analysis=analysis bases=base basis=basis crises=crisis axes=axis
	movies=movie cookies=cookie calories=calorie ties=tie pies=pie lies=lie dies=die zombies=zombie
	always=always previous=previous various=various plus=plus minus=minus sms=sms gps=gps dns=dns
	iris=iris atlas=atlas virus=virus viruses=virus campus=campus bonus=bonus bonuses=bonus
	census=census focus=focus corpus=corpus radius=radius menus=menu skus=sku gpus=gpu cpus=cpu caches=cache
	shoes=shoe canoes=canoe toes=toe
	leaves=leave knives=knife wives=wife lives=life shelves=shelf halves=half
	has=has was=was does=does this=this his=his its=its us=us is=is as=as yes=yes
	aws=aws kubernetes=kubernetes https=https paris=paris texas=texas mars=mars`)

func words(list string) map[string]string {
	m := map[string]string{}
	for pair := range strings.FieldsSeq(list) {
		plural, one, _ := strings.Cut(pair, "=")
		m[plural] = one
	}
	return m
}

// singular returns the singular of a folded word, in place: never longer.
func singular(w []byte) []byte {
	if len(w) < 3 {
		return w
	}
	if w[len(w)-1] >= utf8.RuneSelf {
		return cyrillicStem(w)
	}
	switch w[len(w)-1] { // the last letters of the words in the list
	case 's', 'e', 'n', 'a', 't':
	default:
		return w
	}
	if one, ok := irregular[string(w)]; ok {
		return append(w[:0], one...)
	}
	if len(w) < 4 || w[len(w)-1] != 's' {
		return w
	}
	return w[:len(w)-pluralEnding(w)]
}

// pluralEnding returns how many bytes the plural has more than the singular,
// and turns ies into y.
func pluralEnding(w []byte) int {
	has := func(ending string) bool { return bytes.HasSuffix(w, []byte(ending)) }
	switch {
	case has("ss"), has("us"), has("is"), has("ous"):
		return 0
	case has("ies") && len(w) > 4:
		w[len(w)-3] = 'y'
		return 2
	case has("sses"), has("shes"), has("ches"), has("xes"), has("zzes"), has("oes"):
		return 2
	}
	return 1
}

// cyrillicEndings are the case and number endings of Russian nouns and
// adjectives, longest first. One is cut off where three letters stay.
// Source: the first step of the Snowball stemmer for Russian, nouns and
// adjectives only.
var cyrillicEndings = strings.Fields(`
	иями ями ами иях ого его ому ему ыми ими ией иям ием
	ев ов ие ье ьи еи ии ей ой ий ям ем ам ом ах ях ию ью ия ья ая яя ое ее ый ые ых ую юю им ым их
	а е и й о у ы ь ю я`)

func cyrillicStem(w []byte) []byte {
	const letter, stem = 2, 3 // bytes of a Cyrillic letter; letters that stay
	if w[0] != 0xd0 && w[0] != 0xd1 {
		return w
	}
	for _, ending := range cyrillicEndings {
		if len(w) >= len(ending)+stem*letter && bytes.HasSuffix(w, []byte(ending)) {
			return w[:len(w)-len(ending)]
		}
	}
	return w
}
