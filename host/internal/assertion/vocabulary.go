package assertion

import (
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/text"
)

// Lexicon tells what words name in a warehouse. A reader with one understands sentences by their parts, whatever their
// order is.
type Lexicon interface {
	// Table returns the table that words name; "" = none, or several.
	Table(words string) string
	// Column returns the column of a table that words name; "" = none, or several.
	Column(table, words string) string
	// Owner returns the only table that has a column called so; "" = none, or several.
	Owner(column string) string
	// Value returns the column of a table that has a value, and the value as the column spells it; "" = no column has it,
	// or several.
	Value(table, words string) (column, value string)
}

// Words by what they are in a calculation. A word in several lists is what fits its place.
var (
	// aggregateWords name an aggregate; those of counting are apart, because "counts as" is none.
	aggregateWords = map[string]func(string) bool{
		"sum": text.Words(`sum sums summed summing total totals totalled totaled totalling totaling add adds added adding
			summe summieren summiert summierst summierte aufsummiert aufsummieren aufsummierte summierung summierten summierter summiertes addierten addieren addiert addierte aufaddiert aufaddieren zusammengezählt zusammenzählen zusammengerechnet gesamtsumme`),
		"avg":    text.Words(`average averages averaged averaging avg mean durchschnitt durchschnittlich durchschnittliche durchschnittlichen durchschnittlicher mittelwert mittel gemittelt gemittelte gemittelten mittlere mittlerer mittleren mittleres durchschnittliches`),
		"median": text.Words(`median`),
		"min":    text.Words(`minimum min smallest lowest cheapest kleinste kleinster kleinsten kleinstes niedrigste niedrigster niedrigsten niedrigstes`),
		"max":    text.Words(`maximum max largest highest biggest greatest größte größter größten größtes höchste höchster höchsten höchstes`),
	}
	countWords    = text.Words(`number count counts counted counting anzahl zahl zähle zählen zählt gezählt zählst zählung`)
	distinctWords = text.Words(`distinct different unique verschiedene verschiedenen verschiedener unterschiedliche unterschiedlichen unterschiedlicher eindeutige eindeutigen eindeutiger`)
	shareWords    = text.Words(`share proportion fraction anteil`)
	// onceWords make a count one of different values, with "only": "jede customer_id nur einmal".
	onceWords = text.Words(`once einmal`)
	// divisionWords stand between what is divided and what it is divided by, or around both.
	divisionWords = text.Words(`divided divide divides dividing division geteilt teilt teilen dividiert dividieren dividierst quotient`)
	byWords       = text.Words(`by durch`)
	// rowWords are words for the rows of any table.
	anyRows = text.Words(`rows row records record entries entry lines line zeilen zeile datensätze datensatz datensätzen einträge einträgen eintrag`)
	// negatingWords exclude the condition behind them, excludedWords the one before them.
	negatingWords = text.Words(`neither weder don't doesn't don’t doesn’t ausnahme exception excluding exclude excludes except without ignoring ignore minus not nor no ohne außer nicht kein keine keinen exklusive abzüglich`)
	excludedWords = text.Words(`aside beiseite excluded ignored omitted dropped removed ausgenommen ausgeschlossen ignoriert herausgerechnet weggelassen abgezogen`)
	// includedWords make, with a negation, an exclusion of the condition before them: "are not counted".
	includedWords = text.Words(`count counts enter zählen zählt included counted part considered mitgezählt berücksichtigt gezählt enthalten dabei eingerechnet mitgerechnet`)
	orWords       = text.Words(`or oder`)
	// tableLeads stand before a table.
	tableLeads = text.Words(`in from on aus auf table tabelle`)
	// copulas stand between a column and its value.
	copulas = text.Words(`still currently already noch bereits = == is are equals equal to of has with the a value being ist sind gleich hat haben den dem der die das wert auf steht stehen lautet von`)
	// periodic are words of a time; a measure has none.
	periodic = text.Words(`day days week weeks month months quarter quarters year years daily weekly monthly quarterly yearly today yesterday last next previous current past since until before after during recent recently new newly
		tag tage tagen woche wochen monat monate monaten quartal quartale jahr jahre jahren täglich wöchentlich monatlich jährlich heute gestern letzte letzten letzter letztes nächste vorige aktuelle laufende seit bis vor nach während neu neue neuen`)
	// glueWords have no meaning for a number where all else is understood: articles, verbs of saying, defining and
	// computing, those who speak, and where a number is shown.
	glueWords = text.Words(`jener jene jenes jenen derjenigen diejenigen denjenigen solche solcher solchen does do their its er uns ihres ihrer ihrem ihren ihre end ends ended man sämtliche sämtlicher anschließend danach dann afterwards the a an our my your this that these those it its we i you they one them there here us
		is are be been being have having can should must shall will always simply just basically really actually so then therefore please hence exactly namely indeed also
		mean means meant define defines defined definition determine determines determined determining consist consists comprise comprises goes go has compute computes computed computing calculate calculates calculated calculating calculation measure measures measured measuring
		report reports reported reporting get gets got obtain obtains obtained derive derives derived find finds found work works worked out up down together
		call calls called name names named say says said speak talk talks about refer refers referred understand understood know knows known use uses used using take takes taken taking took keep keeps kept keeping
		track tracks tracked look looks ask asks asked quote quoted tell tells told show shows shown display displays displayed give gives given see sees seen watch care want wants need needs mention mentions mentioned appear appears
		by as with under like follows following when whenever if where for to in on at of from into and & which who whom whose what how that equal equals corresponds
		many namely list lists listed record recorded records treat treated treats consider considered regard regarded all every each any whole entire only stored stands stand come comes counting result results resulting value values amounting i.e
		metric metrics kpi kpis term word key main useful important handy figure figures number formula dashboard dashboards deck board bericht berichts berichte report team mail newsletter slide slides chart charts tile sheet spreadsheet page wiki overview list summary finance controlling sales marketing management analytics accounting people everyone everybody somebody
		column columns field fields table tables tabelle tabellen spalte spalten feld felder view condition filter restricted limited remains remain still currently already ones those such both
		now on regularly internally externally officially
		der die das den dem des ein eine einen einer einem eines unser unsere unserem unseren unserer wir ich man sie es ihr ihr ist sind wird werden gilt gelten als unter verstehen versteht meinen meint mit von vom bei beim für um zu zum zur im in auf aus und sowie
		nennen nennt heißt heißen bezeichnen bezeichnet berechnen berechnet berechne rechnen rechnet errechnet ergibt ergeben sich erhält erhalten bekommt bekommen ermittelt ermitteln bestimmt definiert definieren entspricht
		viele nämlich über führen führt geführt listen listet weisen weist erfassen erfasst betrachten betrachtet verbuchen verbucht einfach immer bitte indem wenn sobald sprechen spricht reden redet sagen sagt gemeint damit darunter dabei hier also bedeutet kennzahl kennzahlen begriff wert werte wie so dafür dazu dazu jeweils
		alle aller allen alles jede jeder jeden jedes nur noch schon bereits derzeit deren dessen denen welche welcher welches bei zwar und wo wobei stehen steht haben hat gezeigt angezeigt zeigt zeigen ausgewiesen geführt genannt wir davon darin folie folien diagramm übersicht seite blatt liste mail auswertung auswertungen diese dieser dieses diesen zusammen`)
	// derivingWords are verbs of coming to a number and of belonging to something; before rows they may restrict them.
	derivingWords = text.Words(`stammen stammt sagt meaning leave leaves leaving lassen lässt gemessen gibt tells indicates besagt misst via vorkommen vorkommt occur occurs living live umfasst umfassen putting put set setting recognise recognised recognize recognized book booked books establish established arrive arrives reach reached hold holds held belong belongs belonging
		kommen kommt setzen setzt gesetzt gebucht buchen bucht gebildet bilden bildet ansetzen angesetzt gehören gehört halten hält`)
	// spokenFor are words of a name's place: the name follows them, at the end of a sentence.
	namingWords = text.Words(`bezeichnen bezeichne call calls called named as known heißt nennen nennt genannt bezeichnet`)
)

// states are German participles and adjectives of states, uninflected, and the English word that a column has for them.
var states = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"aktiv": "active", "inaktiv": "inactive", "bezahlt": "paid", "unbezahlt": "unpaid", "erstattet": "refunded", "storniert": "cancelled", "gekündigt": "cancelled",
		"ausstehend": "pending", "versendet": "shipped", "versandt": "shipped", "geliefert": "delivered", "zugestellt": "delivered", "abgeschlossen": "completed",
		"fehlgeschlagen": "failed", "gelöscht": "deleted", "abgelehnt": "rejected", "genehmigt": "approved", "abgelaufen": "expired", "überfällig": "overdue",
	}
})

// uninflected returns a German adjective without the ending of its case.
func uninflected(low string) string {
	for _, ending := range []string{"en", "em", "er", "es", "e"} {
		if stem, ok := strings.CutSuffix(low, ending); ok && len(stem) > 4 {
			return stem
		}
	}
	return low
}
