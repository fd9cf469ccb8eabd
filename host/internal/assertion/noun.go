package assertion

import (
	"slices"
	"strings"
	"sync"
)

// rowNouns are German nouns for the rows of a table, and what tables of them are called. Plurals with an umlaut stand beside
// their singulars; germanNoun knows the endings.
var rowNouns = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for pair := range strings.SplitSeq(`abholung pickup collection, abo subscription, abonnement subscription, anfrage request inquiry, angebot offer quote, anlage asset plant, anmeldung registration signup,
		anruf call, anrufe call, antrag application claim, anträge application claim, arbeitsauftrag workorder, artikel article item product, aufführung performance, aufgabe task, aufnahme admission recording,
		auftrag order job, aufträge order job, ausleihe loan, auszahlung payout, befund finding result, behandlung treatment, behälter container bin, beitrag contribution post, beiträge contribution post, benutzer user,
		beschwerde complaint, bestellposition orderline orderitem, bestellung order, besuch visit, besucher visitor, bewertung review rating, bewerber applicant, bewerbung application, buch book, bücher book, buchung booking,
		charge batch lot, dienst shift service, einsatz deployment mission assignment, einsätze deployment mission assignment, einspruch objection, einsprüche objection, entleihung loan, ereignis event, ereignisse event, erstattung refund,
		exemplar copy, fahrer driver, fahrrad bike bicycle, fahrräder bike bicycle, fahrt trip ride, fahrzeug vehicle, fall case, fälle case, fass keg, fässer keg, filiale branch store, film movie film, flug flight, flüge flight, foto photo,
		führung tour, gast guest, gäste guest, gebot bid, gebühr fee, gepäckstück bag, gerät device, gespräch call, grundstück parcel plot, gutschein voucher coupon, haushalt household, immobilie property, inserat listing ad,
		inspektion inspection, kampagne campaign, karte card ticket, klage lawsuit, kontakt contact, konto account, konten account, kredit loan credit, kunde customer client, kurs course class, ladung charge load, lager warehouse,
		lauf run, läufe run, leihe loan, lieferant supplier vendor, lieferung shipment delivery, los lot, mahnung reminder dunning, maschine machine, medikament drug medication, meldung report alert, messung measurement reading, mieter tenant,
		mietvertrag lease, mietverträge lease, mitarbeiter employee, mitglied member, mitgliedschaft membership, nachricht message, nutzer user, objekt property object, operation surgery operation, paket parcel package, palette pallet, parzelle plot, patient patient, pflanze plant,
		police policy, position item line, posten item, probe sample, produkt product, projekt project, prüfung inspection exam test, rad bike, räder bike, rechnung invoice bill, reise trip journey, reklamation complaint claim, reparatur repair, rezept recipe prescription, reservierung reservation,
		retoure return, rücksendung return, schaden claim damage, schäden claim damage, schicht shift, schiff ship vessel, schüler student pupil, sendung shipment, session session, sitzung session, spende donation, spender donor, spiel game match, spieler player,
		stellplatz space, störung outage incident fault, stunde hour lesson, sud batch brew, taetigkeit activity, tank tank, teilnahme participation, teilnehmer participant attendee, termin appointment, test test, ticket ticket, tier animal, tour tour trip, transaktion transaction,
		transport transport, umfrage survey, unfall accident, unfälle accident, untersuchung examination exam, unterkunft accommodation, veranlagung assessment, veranstaltung event, verkauf sale, verkäufe sale, verlängerung renewal, versand shipment, vertrag contract, verträge contract,
		vorfall incident, vorfälle incident, vorgang case process, vorgänge case process, vorstellung screening show performance, wartung maintenance service, werbung ad, wette bet, wiedergabe play stream, abspielung play, wohnung apartment unit flat, zahlung payment, zähler meter, zimmer room, zugriff access, übernachtung night stay, aufenthalt stay, aufenthalte stay,
		baum tree, bäume tree, beet bed, einzahlung deposit, fang catch, fänge catch, gutschrift credit, impfung vaccination, lkw truck, partie game lot, pflegetag day, rate instalment installment, saison season, stopp stop, halt stop, strecke route, zug train, züge train, wagen car wagon, woche week, zelt tent, zuweisung assignment`, ",") {
		names := strings.Fields(pair)
		all[names[0]] = append(all[names[0]], names[1:]...)
	}
	return all
})

// caseEndings are what German nouns may end with, the longest first.
var caseEndings = []string{"", "en", "er", "ern", "es", "n", "e", "s", "innen", "nen"}

// germanNoun returns what tables of a German noun are called; nil = the noun is not known.
func germanNoun(low string) []string {
	for _, ending := range caseEndings {
		if stem, ok := strings.CutSuffix(low, ending); ok && len(stem) > 1 {
			if names := rowNouns()[stem]; names != nil {
				return names
			}
		}
	}
	return nil
}

// englishNoun returns the first name of tables of a noun, the noun itself if it is not known.
func englishNoun(low string) string {
	if names := germanNoun(low); names != nil {
		return names[0]
	}
	return low
}

// shortestHead is the least length of the first part of a compound.
const shortestHead = 3

// compoundOf returns the noun for rows that a German compound ends with: "Stammkunden" are some of the "Kunden".
func compoundOf(low string) string {
	for i := range low {
		if i >= shortestHead && len(low)-i > shortestHead && germanNoun(low[i:]) != nil {
			return low[i:]
		}
	}
	return ""
}

func singular(s string) string { return strings.TrimSuffix(strings.ReplaceAll(s, "ies", "y"), "s") }

// resembles reports whether only the name of the number says whose rows it is of, so that its columns say it: "Lots handled is
// a distinct count of lot_no", which two tables have.
func (a *anatomy) resembles(f *Formula) bool {
	inName, beside := false, false
	for i := range a.all {
		if p := &a.all[i]; p.isWord && (p.rows || a.tableOf(p) == a.identity) {
			inName, beside = inName || p.kind == namePart, beside || p.kind != namePart
		}
	}
	return a.noun && inName && !beside && slices.ContainsFunc(words(f.Of+" "+f.Expr), func(column string) bool {
		return a.lexicon.Column(a.identity, column) != "" && a.lexicon.Owner(column) == ""
	})
}

// pointing reports whether a word before rows means those of another sentence.
func pointing(low string) bool {
	switch low {
	case "these", "those", "such", "dieser", "diese", "diesen", "jener", "jene", "jenen", "solcher", "solche", "solchen":
		return true
	}
	return false
}

// unmarked writes the stem of a plural without its umlaut.
func unmarked(stem string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(stem, "ä", "a"), "ö", "o"), "ü", "u")
}

// spelledOut reports whether a noun is the name of a table in full, before which it stands: "samples in smp", "moves in cntr_mv".
func (a *anatomy) spelledOut(i int) bool {
	p, name := &a.all[i], base(a.identity)
	if p.class != 0 || !p.isWord || len(name) <= 2 || !shortens(lastWord(name), p.low) && !headed(a.identity, p.low) || a.lexicon.Table(p.text) != "" || a.lexicon.Column(a.identity, p.text) != "" {
		return false
	}
	if described := i+1 < len(a.all) && (a.all[i+1].low == "with" || a.all[i+1].low == "whose" || a.all[i+1].low == "where") || i > 0 && a.all[i-1].is(allWord); described && (len(lastWord(name)) > 2 || headed(a.identity, p.low)) {
		return true // "trips with …" of trp, "all orders" of orderHead
	}
	for at := 2; at < len(a.all); at++ {
		lead := at - 1
		if a.all[lead].is(articleWord) {
			lead--
		}
		if a.all[at].kind == tablePart && lead > 0 && tableLeads(a.all[lead].low) && a.all[lead-1].low == p.low {
			return true // wherever else it stands
		}
	}
	return false
}

// headed reports whether a noun is the first word of the name of a table, whose second one only says what the table is: "orders" of
// orderHead, "calls" of call_log.
func headed(table, low string) bool {
	first, last := cutLastWord(table[strings.LastIndexByte(table, '.')+1:])
	return first != "" && tableEndings(last) && strings.ToLower(first) == singular(low)
}

// tableEndings reports whether a word ends the name of a table beside what a row is.
func tableEndings(low string) bool {
	switch low {
	case "head", "header", "hdr", "log", "list", "data", "table", "tbl", "fact", "rec", "kopf", "out":
		return true
	}
	return false
}
