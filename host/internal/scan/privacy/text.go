package privacy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	personNames  = "names of persons"
	addressNames = "street addresses"
	proseNames   = "free text"
)

// reading is what the words of one value are.
type reading struct {
	words    int // that are neither titles nor particles nor numbers
	given    bool
	surnames int
	likely   int // surnames by their endings
	places   int
	title    bool // Herr, Mrs
	firm     bool
	street   bool
	ways     int  // words that only say that it is one: Platz, Street
	number   bool // one as a house has
	postal   bool // a postal code with a word behind it
	code     bool // a postal code was the last token
	stops    int
	sentence bool // a sentence ends in it
	other    bool // it has characters that no name has
}

// reader reads values and keeps its memory between them.
type reader struct{ folded []byte }

// read looks every word of a value up.
func (r *reader) read(v string) (x reading) {
	if len(v) > maxRead {
		v = v[:maxRead]
	}
	first, last := sense(0), sense(0)
	comma := false
	for start := 0; start < len(v); {
		end := start
		for end < len(v) && v[end] != ' ' && v[end] != ',' && v[end] != '\n' && v[end] != '\t' && v[end] != ';' {
			end++
		}
		token := v[start:end]
		if end < len(v) && v[end] == ',' {
			comma = true
		}
		start = end + 1
		if token == "" {
			continue
		}
		if s, counts := r.token(token, &x); counts {
			if x.words == 1 {
				first = s
			}
			last = s
		}
	}
	x.sentence = x.sentence || strings.Contains(v, ". ") || strings.ContainsAny(v, "!?")
	x.given = first&given != 0 || last&given != 0
	x.firm = x.firm || comma && x.words > 6
	return x
}

const maxRead = 600

// token reads one word; counts says that it may be part of a name.
func (r *reader) token(token string, x *reading) (s sense, counts bool) {
	c, _ := utf8.DecodeRuneInString(token)
	switch {
	case '0' <= c && c <= '9':
		x.code = (len(token) == 4 || len(token) == 5) && strings.Trim(token, "0123456789") == "" && x.number
		x.number = x.number || house(token)
		x.other = true
		return 0, false
	case strings.EqualFold(token, "c/"), strings.EqualFold(token, "c/."):
		x.street = true
		return 0, false
	case !unicode.IsLetter(c) && c != '(' && c != '"' && c != '\'':
		x.other = true
		x.firm = x.firm || token == "&" || token == "+"
		return 0, false
	}
	if strings.ContainsAny(token, "0123456789_@#/:=<>{}[]|\\*%") {
		x.other = true
	}
	bare := strings.Trim(token, ".()\"'")
	s = senseOf(bare, &r.folded)
	if s&stop != 0 {
		x.stops++
	}
	x.postal, x.code = x.postal || x.code, false
	x.firm = x.firm || s&company != 0
	if s&street != 0 {
		x.ways++
	}
	x.street = x.street || s&street != 0 || endsIn(r.folded, streetEndings)
	switch {
	case s&title != 0:
		x.title = true
		return s, false
	case s&particle != 0 && s&(given|surname) == 0:
		return s, false
	case utf8.RuneCountInString(bare) == 1: // an initial
		return s, false
	}
	x.words++
	if s == 0 && strings.Contains(bare, "-") { // Jean-Luc, Müller-Lüdenscheidt
		for part := range strings.SplitSeq(bare, "-") {
			s |= senseOf(part, &r.folded) & (given | surname | place)
		}
	} else if s == 0 && endsIn(r.folded, familyEndings) {
		s = surname
	} else if s == 0 && endsIn(r.folded, likelyEndings) {
		x.likely++
	}
	if s&surname != 0 {
		x.surnames++
	}
	if s&place != 0 {
		x.places++
	}
	return s, true
}

// house reports whether a token is the number of a house: 12, 12a, 12-14, 5bis.
func house(token string) bool {
	digits := 0
	for digits < len(token) && token[digits] >= '0' && token[digits] <= '9' {
		digits++
	}
	rest := token[digits:]
	return digits <= 4 && (len(rest) <= 1 || strings.EqualFold(rest, "bis") || strings.EqualFold(rest, "ter") || len(rest) <= 4 && strings.IndexByte("-/", rest[0]) >= 0)
}

// streetEndings are those of German names of streets.
var streetEndings = []string{"strasse", "str", "weg", "allee", "platz", "gasse", "damm", "ufer", "steig", "chaussee", "pfad", "stieg", "ring", "graben", "winkel", "twiete", "straat", "laan"}

// familyEndings are those that family names have and next to no other words;
// likelyEndings tell behind a first name alone.
var (
	familyEndings = []string{"mann", "meier", "meyer", "maier", "hofer", "berger", "huber", "sson", "wicz", "czyk", "opoulos", "oglu", "enko", "escu", "bauer"}
	likelyEndings = []string{"bach", "stein", "hardt", "wald", "hausen", "sen", "son", "ton", "worth", "well", "ley", "ski", "sky", "ska", "ova", "ov", "ic", "ez", "eau", "oux", "ault", "iere", "lli", "tti", "ini", "kamp", "ling", "ke", "er", "el", "ert", "rd", "ard", "es", "as"}
)

func endsIn(folded []byte, endings []string) bool {
	const least = 3
	for _, ending := range endings {
		if len(folded) >= len(ending)+least && string(folded[len(folded)-len(ending):]) == ending {
			return true
		}
	}
	return false
}

// text returns what running values hold: persons, addresses, free text.
func (c *column) text(values []string) string {
	var r reader
	var n counts
	for _, v := range spaced(values, maxJudged) {
		n.add(v, r.read(v))
	}
	switch {
	case n.addresses(c):
		return addressNames
	case n.persons(c):
		return personNames
	case n.prose(c):
		return proseNames
	}
	return ""
}

// maxJudged is how many values of a column are read word by word.
const maxJudged = 400

// spaced returns at most so many values, evenly chosen.
func spaced(values []string, most int) []string {
	if len(values) <= most {
		return values
	}
	out := make([]string, most)
	for i := range out {
		out[i] = values[i*len(values)/most]
	}
	return out
}

// counts are how many values read as what.
type counts struct {
	all                          int
	words                        int
	several, single              int // of two to four words, of one word
	hits, pairs, singles, places int
	street, housed, numbered     int
	running, long, firms, others int
}

func (n *counts) add(v string, x reading) {
	n.all++
	n.words += x.words + x.stops
	if x.firm {
		n.firms++
	}
	if x.number && (x.street && x.words > x.ways || x.postal && x.words > 1) {
		n.housed++
	} else if x.street && x.words > x.ways {
		n.street++
	} else if x.number && x.words > 0 && x.words <= 6 {
		n.numbered++
	}
	if x.words >= 5 && (x.stops >= 2 || x.stops >= 1 && x.sentence) {
		n.running++
	}
	if x.words+x.stops >= 3 {
		n.long++
	}
	switch {
	case x.other || x.firm:
		n.others++
	case x.words >= 2 && x.words <= 4:
		n.several++
		if x.places > 0 && !x.title && x.surnames < 2 {
			n.places++
		} else if x.given && (x.surnames+x.likely > 0 || x.title) {
			n.pairs++
			n.hits++
		} else if x.given || x.surnames >= 2 || x.title {
			n.hits++
		}
	case x.words == 1:
		n.single++
		if x.places > 0 {
			n.places++
		} else if x.given || x.surnames > 0 || x.title {
			n.singles++
		}
	}
}

func (n *counts) share(of int) float64 { return float64(of) / float64(max(n.all, 1)) }

// The shares of values that make a column one of persons, addresses or free text,
// and what they are among few values or under a name that promises other things.
const (
	pairShare, fewPairs, thingPairs = .25, .4, .6
	singleShare, amongShare         = .4, .2
	streetShare, housedShare        = .5, .25
	proseShare                      = .5
	// closedList is how many different values are a list of kinds rather than data.
	closedList = 30
)

// things are what columns hold that are no persons, whatever their values look like.
var things = set(`city town ort stadt ville ciudad country land pay pais region state department abteilung departement departamento company firma firm empresa entreprise societe
	product produkt produit producto article artikel articulo item brand marke marque marca category kategorie categorie categoria color colour farbe couleur material status type typ
	tipo kind currency unit model modell modele modelo vendor supplier lieferant fournisseur proveedor store shop filiale tienda magasin warehouse lager school hospital project projekt
	proyecto projet campaign kampagne song album movie book game event team species plant vessel ship site location standort`)

// thing reports whether a column is about things by its name, or by its table's
// where it is called name alone.
func (c *column) thing() bool {
	for _, w := range c.words {
		if things.has(w) {
			return true
		}
	}
	if len(c.table) == 0 || len(c.words) != 1 {
		return false
	}
	return things.has(c.table[len(c.table)-1])
}

// closed reports whether a column has few values that come again and again.
func (c *column) closed() bool {
	return c.stats.Distinct >= 0 && c.stats.Distinct <= closedList && c.stats.Rows-c.stats.Nulls >= 4*c.stats.Distinct
}

// persons reports whether most values are written as names are, and enough of
// them have a first name or two family names that are known.
func (n *counts) persons(c *column) bool {
	const few, mostly = 3, .6
	if n.firms < n.all { // what firms are called says nothing of the others
		but := *n
		but.all, but.others = n.all-n.firms, n.others-n.firms
		n = &but
	}
	if n.share(n.others) > 1-mostly && n.share(n.pairs) < fewPairs {
		return false
	}
	if n.share(n.several) >= n.share(n.single) {
		hits, least := n.share(n.hits), pairShare
		switch {
		case c.thing():
			hits, least = n.share(n.pairs), thingPairs
		case c.closed() || n.all < few*few:
			least = fewPairs
		case c.among:
			least = pairShare / 2
		}
		return n.share(n.several) >= someShare/2 && hits >= least && n.hits > n.places
	}
	least := singleShare
	switch {
	case c.thing():
		return false
	case c.closed() || n.all < few*few:
		least = mostly
	case c.among:
		least = amongShare
	}
	return n.singles+n.hits >= few && n.share(n.singles+n.hits) >= least && n.singles > 2*n.places
}

// addresses reports whether values have a street and the number of a house, or
// most of them a street.
func (n *counts) addresses(c *column) bool {
	if c.thing() && n.share(n.housed) < proseShare {
		return false
	}
	if n.all < 3 {
		return n.housed == n.all && n.all > 0
	}
	return n.share(n.housed) >= housedShare && n.share(n.housed+n.numbered+n.street) >= someShare || n.share(n.housed+n.street) >= streetShare && n.street+n.housed >= 2*fewValues
}

// notes are names of columns that people write into; described of those that
// say what a thing is.
var (
	notes = set(`note notiz notizen bemerkung bemerkungen anmerkung anmerkungen kommentar kommentare comment remark freitext freetext memo message nachricht body nota notas observacion observaciones
		comentario comentarios commentaire remarque observation mensaje complaint beschwerde feedback text texto texte verlauf historie`)
	described = set(`description descr desc beschreibung descripcion descriptif title titel titulo titre label bezeichnung slogan definition tooltip question hint help`)
)

// prose reports whether values are text that somebody wrote, rather than what a
// program says again and again or what describes a thing.
func (n *counts) prose(c *column) bool {
	for _, w := range c.words {
		if described.has(w) && !c.among {
			return false
		}
	}
	rows := c.stats.Rows - c.stats.Nulls
	if c.stats.Distinct >= 0 && rows >= 4*c.stats.Distinct { // the same again and again
		return false
	}
	for _, w := range c.words {
		if notes.has(w) && n.share(n.long) >= proseShare {
			return true
		}
	}
	return n.share(n.running) >= proseShare && n.words >= 6*n.all
}
