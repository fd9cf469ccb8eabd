package planner

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
)

// readings are sentences about a warehouse, each with the measure that it defines; "" = it defines none, "?" = it is asked
// about.
type readings struct {
	tables string
	values map[string][]string
	texts  [][2]string
}

func (r *readings) test(t *testing.T) {
	t.Helper()
	var tables yaml.Node
	if err := yaml.Unmarshal([]byte(r.tables), &tables); err != nil {
		t.Fatal(err)
	}
	for _, tt := range r.texts {
		plan := warehouse(t, tables.Content[0], r.values).plan(tt[0])
		var got []string
		for _, c := range plan.Changes {
			if c.Kind == change.Measure {
				got = append(got, measureOf(t, c))
			}
		}
		if tt[1] == "?" && len(plan.Questions) > 0 {
			got = append(got, "?")
		}
		if all := strings.Join(got, "; "); all != tt[1] {
			t.Errorf("%s\n got %q\nwant %q; asked %v", tt[0], all, tt[1], plan.Questions)
		}
	}
}

// TestGermanReadings reads German sentences over a warehouse with German names. Each form has sentences beside it that look alike.
func TestGermanReadings(t *testing.T) {
	t.Parallel()
	(&readings{
		tables: `
werk.auftrag: {id: int64, art: text, preis: decimal, eilig: bool, eingang_am: date}
werk.rechnung: {id: int64, betrag: decimal, status: text}
werk.verkauf: {id: int64, glaeser: int64, stueckpreis: decimal, nachlass: decimal}
`,
		values: map[string][]string{"werk.auftrag.art": {"neubau", "umbau", "reparatur"}, "werk.rechnung.status": {"offen", "bezahlt"}},
		texts: [][2]string{
			// The plural of a German table, a flag as an adjective.
			{"Umbauten: Anzahl der Aufträge mit Art umbau", "auftrag.umbauten = count() where art = 'umbau'"},
			{"Offene Posten: Summe betrag aller Rechnungen mit Status offen", "rechnung.offene_posten = sum(betrag) where status = 'offen'"},
			{"Eilwert ist die Summe von preis über alle eiligen Aufträge.", "auftrag.eilwert = sum(preis) where eilig"},
			{"Eilwert ist die Summe von preis über alle eiligeren Aufträge.", ""},
			{"Umbauten: Anzahl der Nachaufträge mit Art umbau", ""},
			// From when on it is called so; a date is a validity.
			{"Umbauzahl ist ab sofort die Anzahl der Aufträge mit Art umbau.", "auftrag.umbauzahl = count() where art = 'umbau'"},
			{"Umbauzahl ist ab Juni die Anzahl der Aufträge mit Art umbau.", ""},
			{"Umbauzahl ist ab 500 die Anzahl der Aufträge mit Art umbau.", ""},
			// A bound behind its number.
			{"Kleine: Anzahl der Aufträge mit preis von 50 oder weniger", "auftrag.kleine = count() where preis <= 50"},
			{"Große: Anzahl der Aufträge mit einem preis von 500 oder mehr und Art umbau", "auftrag.grosse = count() where preis >= 500 AND art = 'umbau'"},
			{"Kleine: Anzahl der Aufträge mit preis von 50 oder 60", ""},
			{"Große: Anzahl der Aufträge mit preis von nicht 500 oder mehr", ""},
			// The first and the last date.
			{"Erster Eingang ist der früheste eingang_am der Aufträge mit Art umbau.", "auftrag.erster_eingang = min(eingang_am) where art = 'umbau'"},
			{"Späte Aufträge sind die Anzahl der spätesten Aufträge.", ""},
			// How a quotient is written.
			{"Umbauanteil ist die Anzahl der Aufträge mit Art umbau geteilt durch die Anzahl aller Aufträge, ausgedrückt in Prozent.", "auftrag.umbauanteil = calc count(CASE WHEN art = 'umbau' THEN 1 END) / count(*)"},
			{"Umbauanteil ist die Anzahl der Aufträge mit Art umbau geteilt durch die Anzahl aller Aufträge, dargestellt als Prozentsatz der Rechnungen.", ""},
			{"Umsatz ist die Summe von betrag, gezeigt als Anteil, über alle Rechnungen.", ""},
			// A bound of a column; a range is none.
			{"Große: Anzahl der Aufträge mit preis ab 500", "auftrag.grosse = count() where preis >= 500"},
			{"Große: Anzahl der Aufträge mit preis ab 500 bis 800", ""},
			{"Neue: Anzahl der Aufträge mit eingang_am ab 2024", ""},
			// A sentence behind it that says what it says already, or something else.
			{"Große: Anzahl der Aufträge mit preis ab 500. Ob Neubau oder Umbau, spielt dabei keine Rolle.", "auftrag.grosse = count() where preis >= 500"},
			{"Große: Anzahl der Aufträge mit preis ab 500. Ob Neubau oder Umbau, spielt eine Rolle.", ""},
			{"Große: Anzahl der Aufträge mit preis ab 500. Ob Neubau oder Umbau, ist egal.", "auftrag.grosse = count() where preis >= 500"},
			{"Große: Anzahl der Aufträge mit preis ab 500. Ob Neubau oder Umbau, ist nicht egal.", ""},
			{"Umbauten: Anzahl der Aufträge mit Art umbau. Ob Neubau oder Umbau, spielt keine Rolle.", ""},
			{"Große: Anzahl der Aufträge mit preis ab 500. Ob eilig, spielt keine Rolle, nur Umbau zählt.", ""},
			{"Arten sind die Anzahl der verschiedenen art in werk.auftrag. Wer drei Häuser baut, zählt also nur einmal.", "auftrag.arten = count_distinct(art)"},
			{"Bauten sind die Anzahl der Zeilen in werk.auftrag. Wer drei Häuser baut, zählt also nur einmal.", ""},
			{"Arten sind die Anzahl der verschiedenen art in werk.auftrag. Nur Häuser zählen einmal.", ""},
			{"Arten sind die Anzahl der verschiedenen art in werk.auftrag. Wer eilig ist, zählt nur einmal.", ""},
			{"Auftragswert ist die Summe von preis über alle Aufträge. Das eingang_am gehört nicht dazu.", "auftrag.auftragswert = sum(preis)"},
			{"Auftragswert ist die Summe von preis über alle Aufträge. Der preis in Berlin gehört nicht dazu.", ""},
			{"Auftragswert ist die Summe von preis über alle Aufträge. Umbau gehört nicht dazu.", ""},
			{"Umbauwert ist die Summe von preis über alle Aufträge mit Art umbau. Neubau ist nicht dabei.", "auftrag.umbauwert = sum(preis) where art = 'umbau'"},
			{"Umbauwert ist die Summe von preis über alle Aufträge mit Art umbau. Umbau ist nicht dabei.", ""},
			// Why it is written, and where.
			{"Weil es in der Dienstbesprechung Fragen gab: Auftragswert ist die Summe von preis über alle Aufträge.", "auftrag.auftragswert = sum(preis)"},
			{"Weil es in Berlin in der Dienstbesprechung Fragen gab: Auftragswert ist die Summe von preis über alle Aufträge.", ""},
			// What is understood in part, or names a column of several tables, is asked about.
			{"Unter Auftragswert verstehen wir hier im Amt die Summe aus preis über alle Aufträge.", "?"},
			{"Auftragsmenge = die gesamte Menge der Nummern.", ""},
			{"Auftragsmenge = die gesamte Menge der id 7.", "?"},
			{"Das Haus ist über den gesamten Sommer geöffnet, die id steht an der Tür.", ""},
			{"Auftragswert ist der gesamte preis der gesamten Aufträge.", "auftrag.auftragswert = sum(preis)"},
			// Who wants to see it.
			{"Umbauten: Anzahl der Aufträge mit Art umbau, Frau Marsh braucht es im Wochenbericht", "auftrag.umbauten = count() where art = 'umbau'"},
			{"Umbauten: Anzahl der Aufträge mit Art umbau, Frau Marsh braucht es ohne Eilaufträge", ""},
			// What stands before a definition: why it is written, for whom; or where, for what and by whose words it holds.
			{"Moin, nur kurz wegen der Zahlen von gestern: Auftragswert ist die Summe von preis über alle Aufträge. Gruß Sönke", "auftrag.auftragswert = sum(preis)"},
			{"Nur kurz für Berlin: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"Nur im Werk: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"zu Ihrer Frage von heute Vormittag: Auftragswert ist die Summe von preis über alle Aufträge.", "auftrag.auftragswert = sum(preis)"},
			{"Zu unserer Frage zu Berlin: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"Notiz zum Großhandel: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"Notiz zum Auftragswert: Auftragswert ist die Summe von preis über alle Aufträge.", "auftrag.auftragswert = sum(preis)"},
			{"Weil die Frage zum dritten Mal kam: Auftragswert ist die Summe von preis über alle Aufträge.", "auftrag.auftragswert = sum(preis)"},
			{"Weil die Frage zum Hafen kam: Auftragswert ist die Summe von preis über alle Aufträge.", ""},
			{"Für meinen Nachfolger: Auftragswert ist die Summe von preis über alle Aufträge.", "auftrag.auftragswert = sum(preis)"},
			{"Für den Großhandel: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"Für jede Filiale bitte dieselbe Formel nehmen: Auftragswert ist die Summe von preis über alle Aufträge.", "auftrag.auftragswert = sum(preis)"},
			{"Für jede Filiale diese Formel: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"In Berlin gilt diese Formel: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"Frau Kolb meint: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"So rechnet das Amt: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"So rechnen wir: Auftragswert ist die Summe von preis über alle Aufträge.", "auftrag.auftragswert = sum(preis)"},
			{"Vorschlag von gestern: Auftragswert ist die Summe von preis über alle Aufträge.", "?"},
			{"So, fürs Protokoll noch mal, der Auftragswert, das ist die Summe von preis über alle Aufträge.", "auftrag.auftragswert = sum(preis)"},
			{"Fürs Protokoll der Filiale noch mal, der Auftragswert, das ist die Summe von preis über alle Aufträge.", "?"},
			// The second person, and umlauts that a name spells out.
			{"Die Kennzahl „Auftragswert“ rechnest du als Summe von preis über die Aufträge.", "auftrag.auftragswert = sum(preis)"},
			{"Die Kennzahl „Auftragswert“ rechnest du nicht als Summe von preis über die Aufträge.", "?"},
			{"Marktumsatz, das sind Gläser mal Stückpreis, aufsummiert über alle Verkäufe.", "verkauf.marktumsatz = sum(glaeser * stueckpreis)"},
			{"Marktumsatz, das sind Fässer mal Stückpreis, aufsummiert über alle Verkäufe.", "?"},
			// What is not taken off.
			{"Marktumsatz ist glaeser mal stueckpreis, aufsummiert über alle Verkäufe. Den Nachlass ziehen wir dabei nicht ab.", "verkauf.marktumsatz = sum(glaeser * stueckpreis)"},
			{"Marktumsatz ist glaeser mal stueckpreis, aufsummiert über alle Verkäufe. Den Nachlass ziehen wir ab.", "?"},
			{"Marktumsatz ist glaeser mal stueckpreis, aufsummiert über alle Verkäufe. Den Nachlass ziehen wir ab Juni nicht ab.", "?"},
			{"Offene Posten: Summe betrag aller Rechnungen mit Status offen. Bezahlte sind da also nicht drin.", "rechnung.offene_posten = sum(betrag) where status = 'offen'"},
			{"Offene Posten: Summe betrag aller Rechnungen mit Status offen. Offene sind da also nicht drin.", "?"},
		},
	}).test(t)
}

// TestEnglishReadings reads English sentences over a warehouse with English names.
func TestEnglishReadings(t *testing.T) {
	t.Parallel()
	(&readings{
		tables: `
main.lot: {id: int64, kind: text, weight_kg: decimal, price_per_kg: decimal, unit_cost: decimal, discount: decimal, withdrawn: bool, landed_at: timestamp}
main.sale: {id: int64, cost: decimal, weight_kg: decimal, talkMin: decimal}
main.repairTicket: {id: int64, severity: text, cost: decimal, closed: bool}
main.call: {id: int64, outcome: text, talk_seconds: int64}
main.slope_report: {id: int64, slope: text, snow_cm: int64}
`,
		values: map[string][]string{"main.lot.kind": {"cod", "hake"}, "main.repairTicket.severity": {"minor", "major"}, "main.call.outcome": {"escalated", "voicemail"}},
		texts: [][2]string{
			// A table of two words without an underscore.
			{"Minor repairs is the count of repair tickets with severity minor.", "repairTicket.minor_repairs = count() where severity = 'minor'"},
			{"Minor repairs is the count of repair orders with severity minor.", ""},
			// x between columns is a product.
			{"Catch value = weight_kg x price_per_kg summed over all lots", "lot.catch_value = sum(weight_kg * price_per_kg)"},
			{"Catch value = weight_kg x rate summed over all lots", ""},
			{"Catch value = x times weight_kg summed over all lots", ""},
			// A bound behind its number.
			{"Heavy lots: number of lots with weight_kg of 100 or more", "lot.heavy_lots = count() where weight_kg >= 100"},
			{"Heavy lots: number of lots with weight_kg over 100 or more", ""},
			{"Heavy lots: number of lots with weight_kg of 100 or more or kind cod", ""},
			{"Heavy lots: number of lots with kind cod or more", ""},
			// The first and the last date.
			{"First landing is the earliest landed_at of the lots with kind hake.", "lot.first_landing = min(landed_at) where kind = 'hake'"},
			{"First landing is the earliest landed_at or the latest one.", ""},
			{"Latest price is the average price_per_kg of the latest lot.", ""},
			{"Latest price is the price_per_kg of the latest lot.", ""},
			{"Latest price is the latest price_per_kg of the lots.", ""},
			{"Top price is the price_per_kg of the largest lot.", ""},
			{"Top price is the largest lot price_per_kg.", "lot.top_price = max(price_per_kg)"},
			// How a quotient is written.
			{"Cost rate is total unit_cost divided by total price_per_kg of the lots, shown as a percentage.", "lot.cost_rate = calc sum(unit_cost) / sum(price_per_kg)"},
			{"Cost rate is total unit_cost divided by total price_per_kg of the lots, shown as a percentage of repairs.", ""},
			{"Cost is the total unit_cost of the lots, shown as a percentage.", ""},
			// A message to everyone; a name is who speaks, or whose words they are.
			{"@here fyi catch cost = sum of the unit_cost over lots with kind cod, nothing gets taken off", "lot.catch_cost = sum(unit_cost) where kind = 'cod'"},
			{"@channel: catch cost = sum of the unit_cost over lots with kind cod", "lot.catch_cost = sum(unit_cost) where kind = 'cod'"},
			{"@dana catch cost = sum of the unit_cost over lots with kind cod", "lot.catch_cost = sum(unit_cost) where kind = 'cod'"},
			{"@all I think catch cost = sum of the unit_cost over lots with kind cod", ""},
			{"@here catch cost = sum of the unit_cost over lots with kind cod, discounts get taken off", ""},
			// The head of a column of meanings.
			{"| Term | What we mean by it |\n|---|---|\n| Net price | total of price_per_kg minus discount over all lots |", "lot.net_price = sum(price_per_kg - discount)"},
			{"| Term | What the auditors mean by it |\n|---|---|\n| Net price | total of price_per_kg minus discount over all lots |", ""},
			{"| Term | What it is not |\n|---|---|\n| Net price | total of price_per_kg minus discount over all lots |", ""},
			{"| Term | What it was once |\n|---|---|\n| Net price | total of price_per_kg minus discount over all lots |", ""},
			// A condition behind a difference may be of both sides.
			{"Net price = total price_per_kg minus total discount of cod lots", ""},
			{"Net price = total price_per_kg of all lots minus the total price_per_kg of withdrawn ones", "lot.net_price = calc sum(price_per_kg) - sum(CASE WHEN withdrawn THEN price_per_kg END)"},
			// A sentence behind it.
			{"Cod cost = sum of unit_cost over lots with kind cod. the other kinds go on a separate line", "lot.cod_cost = sum(unit_cost) where kind = 'cod'"},
			{"Cod cost = sum of unit_cost over lots with kind cod. Hake is not in.", "lot.cod_cost = sum(unit_cost) where kind = 'cod'"},
			{"Cod cost = sum of unit_cost over lots with kind cod. Hake is never out.", ""},
			{"Cod cost = sum of unit_cost over lots with kind cod. the other kinds count half", ""},
			{"Cod cost = sum of unit_cost over lots with kind cod. the other kinds are included too", ""},
			{"All cost = sum of unit_cost over lots. the other kinds go on a separate line", ""},
			{"Lot value is the sum of price_per_kg over all lots. The discount is not included.", "lot.lot_value = sum(price_per_kg)"},
			{"Lot value is the sum of price_per_kg over all lots. The discount is not included for Leeds.", ""},
			{"Lot value is the sum of price_per_kg over all lots. The discount is included.", ""},
			{"Lot value is the sum of price_per_kg over all lots. The price_per_kg is not included.", ""},
			{"Kinds is the number of different kind in main.lot. Everything is counted only once.", "lot.kinds = count_distinct(kind)"},
			{"Kinds is the number of different kind in main.lot. Only cod is counted once.", ""},
			{"Kinds is the number of different kind in main.lot. Everything is counted only once per year.", ""},
			{"Kinds is the number of different kind in main.lot. Fish count once, whales twice.", ""},
			// Who wants to see it.
			{"Cod cost means the sum of unit_cost of the lots with kind cod, Colin wants it on the whiteboard from now on", "lot.cod_cost = sum(unit_cost) where kind = 'cod'"},
			{"Cod cost means the sum of unit_cost of the lots with kind cod, Colin wants it in euros", ""},
			{"Cod cost means the sum of unit_cost of the lots with kind cod, Colin wants it for Leeds", ""},
			{"Cod cost means the sum of unit_cost of the lots with kind cod, Colin doesn't want it on the whiteboard", ""},
			// The unit that the divisor is in.
			{"Cost per kilo = sum(cost) / sum(weight_kg) in main.sale", "sale.cost_per_kilo = calc sum(cost) / sum(weight_kg)"},
			{"Cost per minute is the sum of cost divided by the sum of talkMin over all sales. (We report it with one decimal.)", "sale.cost_per_minute = calc sum(cost) / sum(talkMin)"},
			{"Cost per hour is the total cost divided by the total talkMin over all sales.", ""},
			{"Cost per litre = sum(cost) / sum(weight_kg) in main.sale", ""},
			{"Cost per kilo of cod = sum(cost) / sum(weight_kg) in main.sale", ""},
			{"Cost per kilo = sum(cost) / max(weight_kg) in main.sale", ""},
			// What stands before a definition: why it is written, for whom; or where, for what and by whose words it holds.
			{"Note for whoever takes over the rota from me: Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"Note for whoever takes over from me in Leeds: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"For whoever takes the ferry: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"For those who book online: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"For everyone who asked: Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"For the pricing committee: Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"For the harbour committee: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"For support tickets: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"For the customers: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"For Germany we keep it like this: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"For every branch please use the same figure: Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"For every branch please use this formula: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"In Berlin we use this formula: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"Comment on cell D14: Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"Comment on D14: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"North Sea note: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"Note on the North Sea: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"Question about the harbour: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"Question about catch cost: Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"Finance's version: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"As proposed: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"Draft from yesterday: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"To be agreed: Catch cost is the sum of unit_cost over all lots.", ""},
			{"Carla says: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"The vendor defines it like this: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"The harbour agent defines it like this: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"Last year we said: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"What we told the bank: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"Marketing keeps asking, so here is how we do it: Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"A test from yesterday: Catch cost is the sum of unit_cost over all lots.", "?"},
			{"Only a quick note: Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"Decision 3: Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"As the vendor does, Catch cost is the sum of unit_cost over all lots.", "?"},
			{"For the record, Catch cost is the sum of unit_cost over all lots.", "lot.catch_cost = sum(unit_cost)"},
			{"For the Leeds record, Catch cost is the sum of unit_cost over all lots.", "?"},
			// A table that is called like a verb, and a name with one.
			{"Average talk time is the average of talk_seconds over all calls, excluding calls with outcome voicemail.", "call.average_talk_time = avg(talk_seconds) where outcome IS DISTINCT FROM 'voicemail'"},
			{"The average we report is the average of talk_seconds over all calls.", "?"},
			{"Escalation rate: calls with outcome escalated divided by all calls", "call.escalation_rate = calc count(CASE WHEN outcome = 'escalated' THEN 1 END) / count(*)"},
			{"Powder reports is the number of slope reports with snow_cm of at least 30.", "slope_report.powder_reports = count() where snow_cm >= 30"},
			{"Variety is the number of different slope in slope reports.", "slope_report.variety = count_distinct(slope)"},
			{"Deep snow is the number of slope days with snow_cm of at least 30.", "?"},
			{"The snow Carla reports is the sum of snow_cm over all slope reports.", "?"},
			// A sentence behind it that says what the conditions leave out.
			{"Cod cost = sum of unit_cost over lots with kind cod. Hake is handled elsewhere so it stays out of it.", "lot.cod_cost = sum(unit_cost) where kind = 'cod'"},
			{"Cod cost = sum of unit_cost over lots with kind cod. Hake stays out until June.", "?"},
			{"Cod cost = sum of unit_cost over lots with kind cod. Hake never stays out.", "?"},
			{"Cod cost = sum of unit_cost over lots with kind cod. Cod stays out.", "?"},
			{"Open repairs: count the repair tickets with severity major that are closed. Others (closed = false) don't count.", "?"},
			{"Done repairs: count the repair tickets with severity major that are closed. Repairs on their way (closed = false) don't count.", "repairTicket.done_repairs = count() where severity = 'major' AND closed"},
			{"Done repairs: count the repair tickets with severity major that are closed. Repairs on their way (closed = true) don't count.", "?"},
			{"Done repairs: count the repair tickets with severity major that are closed. Repairs on their way (closed = false) don't count twice.", "?"},
			{"Done repairs: count the repair tickets with severity major. Repairs on their way (closed = false) don't count.", "?"},
		},
	}).test(t)
}
