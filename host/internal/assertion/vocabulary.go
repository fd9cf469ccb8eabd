package assertion

import (
	"strings"
	"sync"
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
	// Flag returns the column of a table with the values true and false that words name: "is_test", "test"; "" = none, or
	// several.
	Flag(table, words string) string
}

// class says what a word of a closed class may be in a definition. A word has each class that fits it; its place decides.
type class uint64

const (
	glueWord    class = 1 << iota // it says nothing about the number where all else is understood
	articleWord                   // glue before a noun
	pronounWord                   // glue in place of a noun
	sayWord                       // a verb of saying, showing or computing, behind those who do it
	speakerWord                   // a department whose words are ours
	sumWord
	avgWord
	medianWord
	minWord
	maxWord
	countWord
	distinctWord
	onceWord
	eachWord
	allWord // each row, without a restriction
	shareWord
	divideWord  // "divided by"
	perWord     // "per order"
	leaveWord   // it leaves out the condition behind it
	leftWord    // it leaves out the condition before it
	includeWord // it leaves out the condition before it, with a negation
	notWord
	onlyWord
	orWord
	andWord
	jointWord // a condition begins: "where", "with", "whose"
	linkWord  // it stands between a name and its definition
	nameWord  // a name is behind it: "called"
	openWord  // a name is behind it, at the beginning of a clause: "by X we mean"
	barWord   // no name has it
	timeWord
	regularWord // how often a number is looked at
	reasonWord  // a clause begins that does not change the number
	venueWord   // where a number is shown
	nounWord    // glue that ends a name: "signed value"
	rowsWord
	joinerWord // it stands inside of a name: "money at risk"
	greaterWord
	lessWord
	nullWord
)

const aggregateWord = sumWord | avgWord | medianWord | minWord | maxWord

// calculationWord is every word that no name consists of.
const calculationWord = aggregateWord | countWord | distinctWord | onceWord | shareWord | divideWord

// aggregateNames are the aggregates by their classes.
var aggregateNames = []struct {
	class
	name string
}{{sumWord, "sum"}, {avgWord, "avg"}, {medianWord, "median"}, {minWord, "min"}, {maxWord, "max"}}

// closed are the words of each class, first English, then German.
var closed = []struct {
	class
	words string
}{
	{glueWord | articleWord, "the a an this that these those der die das den dem des ein eine einen einer einem eines diese dieser dieses diesen diesem jener jene jenes jenen derjenigen diejenigen denjenigen solche solcher solchen"},
	{glueWord, "our my your its their unser unsere unserem unseren unserer ihres ihrer ihrem ihren ihre über"},
	{glueWord | pronounWord, "it they we i you one them us man es sie wir ich uns er ihr du dir this das that it's it’s that's that’s this's there's there’s here's here’s"},
	{glueWord, `is are be been being was were does do have has had having can should must shall will always simply just basically really actually so then therefore thus consequently accordingly please hence exactly namely indeed also and & but still currently already now here there both such ones whenever when what how i.e e.g
		by as with under like for to in on at of from into off over among across within via if where wherever ever who whom whose which that whole entire together out up down all every each any many
		either end ends ended both beides get gets got regularly internally externally officially
		ist sind war waren wird werden sein haben hat immer bitte einfach nämlich also demnach somit folglich mithin damit darunter dabei dazu dafür davon darin hier jeweils zwar wo wobei noch schon bereits derzeit nur anschließend danach dann indem wenn sobald soweit sofern solange
		hi hello hey hallo moin servus mit von vom bei beim für fürs um zu zum zur im in auf aus an und sowie als unter wie so aber sich viele vielen zusammen welche welcher welches deren dessen denen alle aller allen alles sämtliche sämtlicher sämtlichen jede jeder jeden jedes d.h hey hi hello hallo`},
	{glueWord | barWord, "must can should will shall"},
	{glueWord | sayWord, `mean means meant define defines defined determine determines determined determining consist consists comprise comprises goes go compute computes computed computing calculate calculates calculated calculating measure measures measured measuring
		report reports reported reporting obtain obtains obtained derive derives derived find finds found work works worked name names say says said speak speaks talk talks about refer refers referred understand understands understood know knows known use uses used using take takes taken taking keep keeps kept
		track tracks tracked look looks ask asks asked quote quotes quoted expressed tell tells told show shows shown display displays displayed give gives given see sees seen watch watches watched want wants need needs mention mentions mentioned appear appears follow follows followed
		list lists listed occur occurs written record recorded store stored treat treated treats consider considered regard regarded equal equals corresponds come comes book books booked publish publishes published monitor monitors present presents send sends cite cites review reviews discuss discusses recognise recognised recognize recognized stand stands remain remains agree agreed decide decided settled hold holds held belong belongs valued meaning call calls called named gives yields goes enter enters form forms constitute result results resulting amounting stem stems
		verstehen versteht verstehe meinen meint bezeichnen bezeichnet nennen nennt berechnen berechnet berechne berechnest rechnen rechnet rechnest ermittelst bestimmst nimmst errechnet errechnen ergibt ergeben erhält erhalten bekommt bekommen ermittelt ermitteln bestimmt bestimmen definiert definieren entspricht gilt gelten heißt heißen bedeutet
		nimm nehmt führen führt geführt listen listet gelistet weisen weist ausgewiesen angegeben ausgedrückt dargestellt erfassen erfasst betrachten betrachtet verbuchen verbucht buchen bucht gebucht sprechen spricht reden redet sagen sagt gemeint gezeigt angezeigt zeigt zeigen genannt gemessen misst messen stehen steht nehmen nimmt berichten berichtet verfolgen verfolgt beobachten beobachtet besprechen besprochen stammen stammt kommen kommt kamen gehören gehört erscheint setzen setzt gebildet bilden bildet besagt gibt umfasst umfassen lautet lauten liegt liegen vorkommen vorkommt bleibt bleiben bewertet vereinbart beschlossen abgestimmt`},
	{glueWord | speakerWord, `finance controlling accounting sales marketing logistics operations support product management leadership board revops team analytics people everyone everybody somebody someone colleagues treasury pricing procurement purchasing legal hr ops growth bi crm it cfo ceo dispatch warehouse billing
		finanzen buchhaltung vertrieb logistik geschäftsführung geschäftsleitung vorstand finanzabteilung einkauf personalabteilung kundendienst kundenservice produktion disposition verwaltung`},
	{glueWord, `metric metrics kpi kpis term word key main useful important handy figure figures number formula definition calculation value values column columns field fields table tables view condition filter
		kennzahl kennzahlen begriff größe formel definition berechnung wert werte werten tabelle tabellen spalte spalten feld felder bedingung`},
	{glueWord | venueWord, `report reports reporting dashboard dashboards deck decks mail mails newsletter slide slides chart charts tile sheet spreadsheet page wiki overview review meeting meetings standup thread jour fixe presentation summary letter memo pack update board investor investors auditor auditors
		bericht berichts berichte monatsbericht quartalsbericht jahresbericht wochenbericht übersicht auswertung auswertungen folie folien diagramm kachel kacheln seite blatt sitzung runde präsentation`},
	{nounWord, "value values wert werte team result list record sheet table amount count total rate share number size volume income ratio sum average median"},
	{sumWord, `σ sum sums summed summing total totals totalled totaled totalling totaling add adds added adding
		summe summieren summiere summiert summierst summierte aufsummiert aufsummieren aufsummierte summierung gesamte gesamten gesamter gesamtes summierten summierter summiertes addierten addieren addiere addiert addierte aufaddiert aufaddieren zusammengezählt zusammenzählen zusammengerechnet gesamtsumme`},
	{avgWord, "average averages averaged averaging avg mean durchschnitt durchschnittlich durchschnittliche durchschnittlichen durchschnittlicher durchschnittliches mittelwert mittel gemittelt gemittelte gemittelten mittlere mittlerer mittleren mittleres"},
	{medianWord, "median medians"},
	{minWord, "minimum min smallest lowest cheapest earliest früheste frühester frühesten frühestes kleinste kleinster kleinsten kleinstes niedrigste niedrigster niedrigsten niedrigstes"},
	{maxWord, "maximum max largest highest biggest greatest latest späteste spätester spätesten spätestes größte größter größten größtes höchste höchster höchsten höchstes"},
	{countWord, "number count counts counted counting anzahl zahl zähle zählen zählt gezählt zählst zählung"},
	{distinctWord, "distinct different unique verschiedene verschiedenen verschiedener unterschiedliche unterschiedlichen unterschiedlicher eindeutige eindeutigen eindeutiger"},
	{onceWord, "once einmal"},
	{eachWord, "each every jede jeder jeden jedes"},
	{allWord, "all alle aller allen sämtliche sämtlicher sämtlichen overall any"},
	{glueWord | allWord, "insgesamt gesamt overall"},
	{glueWord, "yes ja"},
	{shareWord, "share proportion fraction percentage percent anteil prozentsatz"},
	{divideWord, "divided divide divides dividing division geteilt teilt teilen dividiert dividieren dividiere dividierst quotient quotienten"},
	{perWord, "per je pro"},
	{leaveWord, "excluding exclude excludes except without ignoring ignore ohne außer exklusive neither weder ausnahme exception abzüglich minus less"},
	{leftWord, "excluded ignored omitted dropped removed aside beiseite ausgenommen ausgeschlossen ignoriert herausgerechnet weggelassen abgezogen"},
	{includeWord, "count counts enter counted include included considered part zählen zählt gezählt mitgezählt mitzählt mitzählen berücksichtigt enthalten dabei eingerechnet mitgerechnet"},
	{notWord, "not no never don't doesn't don’t doesn’t aren't isn't aren’t isn’t nicht kein keine keinen keiner nie"},
	{onlyWord | glueWord, "only nur solely exclusively lediglich ausschließlich restricted limited"},
	{orWord, "or oder nor noch bzw"},
	{andWord, "and und & sowie"},
	{jointWord, "where wherever with whose that which who for only if having wo mit deren dessen die der das für nur wobei denen falls solange von"},
	{linkWord, "is are means equals equal counts sums adds totals averages multiplies divides subtracts covers stands indicates measures tells : = → -> => := – — - should must can shall ist sind wird werden bedeutet bezeichnet entspricht ergibt heißt steht gilt zählt zählen umfasst berechnet berechnen errechnet sagt misst gibt besagt meaning meint meinen nennt nennen consists"},
	{nameWord, "call calls called name named known as als bezeichnen bezeichne bezeichnet nennen nennt genannt heißt obtain erhält erhalten bekommt ergibt gives yields enter enters form forms constitute"},
	{openWord, "by under unter mit als as zum zur zu say says mention mentions about sagen sagt sprechen spricht reden redet von über"},
	{barWord, `than when while if because since until whether how what why which who where unless but then still also wenn weil ob wie was dass denn sobald bis seit aber sondern ist sind wird werden is are was were be been have has had
		wrong false incorrect naive naively old former formerly previous previously legacy competitor competitors not never no nobody none nothing nichts without except unless instead neither some sometimes usually rarely other others another only excluding including
		falsch falsche falscher falsches alte alter früher frühere ehemals konkurrenz wettbewerb nicht nie niemals kein keine keiner ohne außer manchmal meistens andere anderer niemand nur`},
	{timeWord, `monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag day days week weeks month months quarter quarters year years daily weekly monthly quarterly yearly today yesterday last next previous current past since until before after during recent recently new newly ago earliest latest
		tag tage tagen woche wochen monat monate monaten quartal quartale jahr jahre jahren täglich wöchentlich monatlich jährlich heute gestern letzte letzten letzter letztes nächste vorige aktuelle laufende seit bis vor nach während neu neue neuen früheste frühester frühesten frühestes späteste spätester spätesten spätestes`},
	{regularWord, "lot daily weekly monthly quarterly yearly täglich wöchentlich monatlich quartalsweise jährlich day week month quarter year tag woche monat quartal jahr"},
	{reasonWord, "because bc as since so weil da denn damit sodass deshalb daher"},
	{rowsWord, "rows row records record entries entry lines line zeilen zeile datensätze datensatz datensätzen einträge einträgen eintrag sätze sätzen ones"},
	{joinerWord, "of at per to for in on and der des von pro je zu zum mit und"},
	{greaterWord, "above over exceeding exceeds more greater larger higher über mehr größer höher"},
	{lessWord, "below under fewer less smaller lower unter weniger kleiner niedriger"},
	{nullWord, "null empty blank missing leer fehlt fehlen set gesetzt filled gefüllt ausgefüllt befüllt vorhanden present eingetragen"},
}

// classes are the classes of each word.
var classes = sync.OnceValue(func() map[string]class {
	all := make(map[string]class, 1500)
	for _, list := range closed {
		for w := range strings.FieldsSeq(list.words) {
			all[w] |= list.class
		}
	}
	return all
})

// states are German participles and adjectives of states, uninflected, and the English word that a column has for them.
var states = sync.OnceValue(func() map[string]string {
	return meanings(`aktiv active, inaktiv inactive, bezahlt paid, unbezahlt unpaid, erstattet refunded, storniert cancelled, gekündigt cancelled, ausstehend pending,
		versendet shipped, versandt shipped, geliefert delivered, zugestellt delivered, abgeschlossen completed, fehlgeschlagen failed, gelöscht deleted, abgelehnt rejected,
		genehmigt approved, abgelaufen expired, überfällig overdue, offen open, geschlossen closed, gelöst solved, verloren lost, gewonnen won, zurückgeschickt returned,
		retourniert returned, dringend urgent, neu new, intern internal, elektiv elective, erledigt done, entlassen discharged, verstorben deceased, privat private, öffentlich public,
		kostenlos free, hoch high, niedrig low, beschädigt damaged, verspätet late, pünktlich punctual, gesperrt blocked, bestätigt confirmed`)
})

// meanings splits pairs of words.
func meanings(list string) map[string]string {
	all := map[string]string{}
	for pair := range strings.SplitSeq(list, ",") {
		german, english, _ := strings.Cut(strings.TrimSpace(pair), " ")
		all[german] = english
	}
	return all
}

// uninflected returns a German adjective without the ending of its case.
func uninflected(low string) string {
	for _, ending := range []string{"en", "em", "er", "es", "e"} {
		if stem, ok := strings.CutSuffix(low, ending); ok && len(stem) > 3 {
			return stem
		}
	}
	return low
}

// us reports whether a word is one for those whose definition is ours.
func us(w string) bool {
	switch w {
	case "we", "i", "wir", "ich", "man":
		return true
	}
	return false
}

// setWords reports whether a word begins what says which things a name has.
func setWords(w string) bool {
	switch w {
	case "those", "diejenigen", "jene", "derjenige", "diejenige":
		return true
	}
	return false
}

// amountsTo reports whether a word is a verb before "to" or "from" and the calculation of a name.
func amountsTo(w string) bool {
	switch w {
	case "refers", "corresponds", "amounts", "results", "stems", "comes", "derives":
		return true
	}
	return false
}

// metricWords reports whether a noun behind a name says what it is.
func metricWords(w string) bool {
	switch w {
	case "metric", "metrics", "kpi", "kpis", "figure", "figures", "measure", "kennzahl":
		return true
	}
	return false
}
