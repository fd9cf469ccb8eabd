package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// sizes of tables: a list of all values, many, and more than are listed.
var sizes = []int{25, 300, 1600}

func (g *generator) size() int { return g.one2(sizes...) }

func (g *generator) one2(of ...int) int { return of[g.r.IntN(len(of))] }

// tables returns the tables of a language.
func (g *generator) tables() []Table {
	all := g.telling()
	all = append(all, g.alone()...)
	for range 8 {
		all = append(all, g.customers(), g.staff(), g.ledger(), g.goods(), g.visits())
	}
	for range 3 {
		all = append(all, g.attributes("value"), g.attributes(""), g.documents(), g.settings())
	}
	return all
}

// telling has columns that their names tell, with values that tell nothing.
func (g *generator) telling() (all []Table) {
	for _, item := range g.lists["telling "+g.language] {
		name, typ, _ := strings.Cut(item, ":")
		i := slices.IndexFunc(sdk.Types(), func(t sdk.Type) bool { return t.String() == typ })
		c := g.column(Telling, name, sdk.Types()[i], 40, func() string {
			switch typ {
			case "date":
				return fmt.Sprintf("2024-%02d-%02d", g.between(1, 12), g.between(1, 28))
			case "timestamp":
				return fmt.Sprintf("2024-%02d-%02dT10:00:00", g.between(1, 12), g.between(1, 28))
			case "decimal", "int64":
				return g.digits(4)
			}
			return "v" + g.digits(3)
		})
		c.Name = name
		all = append(all, g.table("t_"+strconv.Itoa(len(all)), c))
	}
	return all
}

// sorted yields the ways of a map in order.
func sorted[T any](ways map[string]T, yield func(kind string, way T)) {
	for _, kind := range slices.Sorted(maps.Keys(ways)) {
		yield(kind, ways[kind])
	}
}

// alone has one column of each sort in a table of its own, in each size.
func (g *generator) alone() (all []Table) {
	add := func(class, kind string, typ sdk.Type, rows int, value func() string) {
		all = append(all, g.table("t_x"+strconv.Itoa(len(all)), g.column(class, kind, typ, rows, value)))
	}
	texts := func(class string, ways map[string]func() string) {
		sorted(ways, func(kind string, value func() string) {
			for _, rows := range sizes {
				add(class, kind, sdk.TypeText, rows, value)
			}
		})
	}
	texts(Person, g.persons())
	texts(Address, g.addresses())
	texts(Phone, g.phones())
	texts(Paper, g.papers())
	texts(Token, g.tokens())
	texts(Mail, map[string]func() string{"mail": g.mail, "with a name": func() string { return g.from("given") + " <" + g.mail() + ">" }})
	texts(Card, map[string]func() string{
		"card": g.card, "card, grouped": func() string { return grouped(g.card(), g.one(" ")) },
		"card, dashes": func() string { return grouped(g.card(), "-") }, "iban": g.iban, "iban, grouped": func() string { return grouped(g.iban(), " ") },
	})
	texts(Device, map[string]func() string{"ip": g.ip, "mac": func() string {
		return strings.Join([]string{g.chars(base16, 2), g.chars(base16, 2), g.chars(base16, 2), g.chars(base16, 2), g.chars(base16, 2), g.chars(base16, 2)}, ":")
	}})
	texts(Note, map[string]func() string{"note": g.note})
	sorted(g.births(), func(kind string, way struct {
		typ   sdk.Type
		value func() string
	}) {
		for _, rows := range sizes {
			add(Birth, kind, way.typ, rows, way.value)
		}
	})
	add(Card, "card as a number", sdk.TypeInt64, 300, g.card)
	for _, rows := range sizes {
		sorted(g.harmless(rows), func(kind string, way harmless) {
			t := g.table("t_y"+strconv.Itoa(len(all)), g.column("", kind, way.typ, rows, way.value))
			if way.name != "" && g.r.IntN(2) == 0 {
				t.Columns[0].Name = way.name
				t.Table.Columns[0].Name = way.name
			}
			all = append(all, t)
		})
	}
	return all
}

func (g *generator) ip() string {
	return fmt.Sprintf("%d.%d.%d.%d", g.between(1, 223), g.r.IntN(256), g.r.IntN(256), g.between(1, 254))
}

// pick returns one of the ways of a map, the same for a whole column.
func pick[T any](g *generator, ways map[string]T) (string, T) {
	kinds := slices.Sorted(maps.Keys(ways))
	kind := kinds[g.r.IntN(len(kinds))]
	return kind, ways[kind]
}

func (g *generator) text(class string, ways map[string]func() string, rows int) Column {
	kind, value := pick(g, ways)
	return g.column(class, kind, sdk.TypeText, rows, value)
}

// beside returns so many different harmless columns.
func (g *generator) beside(n, rows int) (all []Column) {
	ways := g.harmless(rows)
	kinds := slices.Sorted(maps.Keys(ways))
	for _, i := range g.r.Perm(len(kinds))[:n] {
		way := ways[kinds[i]]
		all = append(all, g.column("", kinds[i], way.typ, rows, way.value))
	}
	return all
}

func (g *generator) birth(rows int) Column {
	kind, way := pick(g, g.births())
	return g.column(Birth, kind, way.typ, rows, way.value)
}

// customers is a table of a CRM whose columns say nothing.
func (g *generator) customers() Table {
	rows := g.size()
	columns := []Column{
		g.text(Person, g.persons(), rows), g.column(Mail, "mail", sdk.TypeText, rows, g.mail), g.text(Phone, g.phones(), rows),
		g.text(Address, g.addresses(), rows), g.birth(rows), g.column(Note, "note", sdk.TypeText, rows, g.note),
	}
	return g.table("t_"+g.digits(3), append(columns, g.beside(8, rows)...)...)
}

// staff is a table of employees.
func (g *generator) staff() Table {
	rows := g.size()
	persons := g.persons()
	columns := []Column{
		g.column(Person, "given", sdk.TypeText, rows, persons["given"]), g.column(Person, "surname", sdk.TypeText, rows, persons["surname"]),
		g.birth(rows), g.text(Paper, g.papers(), rows), g.column(Card, "iban", sdk.TypeText, rows, g.iban),
	}
	return g.table("pa"+g.digits(4), append(columns, g.beside(8, rows)...)...)
}

// ledger is a table of an ERP: keys filled up with zeros, and nothing personal.
func (g *generator) ledger() Table {
	rows := g.size()
	return g.table("bseg"+g.digits(2), g.beside(14, rows)...)
}

func (g *generator) goods() Table {
	rows := g.size()
	return g.table("mara"+g.digits(2), g.beside(14, rows)...)
}

// visits is a log of a web server.
func (g *generator) visits() Table {
	rows := g.size()
	columns := []Column{
		g.column(Device, "ip", sdk.TypeText, rows, g.ip), g.text(Token, g.tokens(), rows),
	}
	return g.table("log_"+g.digits(2), append(columns, g.beside(6, rows)...)...)
}

// attributes is a table of names and values; with a name of its own the column of
// values is called so, else it is called like any other.
func (g *generator) attributes(value string) Table {
	rows := g.one2(200, 1200)
	kinds := map[string]func() string{
		"password": func() string { return g.chars("abcdefghijkmnpqrstuvwxyz23456789", 9) }, "ssn": func() string { return g.fill("4##-3#-2###") },
		"credit_card": g.card, "color": func() string { return g.one("red", "blue", "green") }, "size": func() string { return g.one("S", "M", "L") },
		"theme": func() string { return g.one("dark", "light") }, "points": func() string { return g.digits(3) },
	}
	if g.held() {
		delete(kinds, "ssn")
		word := map[string]string{"en": "phone_mobile", "de": "geburtsdatum", "fr": "mot_de_passe", "es": "fecha_nacimiento"}[g.language]
		kinds[word] = func() string { return g.digits(8) }
	}
	names := slices.Sorted(maps.Keys(kinds))
	column, content := g.column("", "names of attributes", sdk.TypeText, 0, nil), g.column(Attribute, "values", sdk.TypeText, 0, nil)
	key := g.column("", "entity", sdk.TypeInt64, 0, nil)
	if value != "" {
		column.Name, content.Name = g.one("attr", "attribute", "meta_key", "merkmal"), g.one("value", "attr_value", "meta_value", "wert")
	}
	for i := range rows {
		name := names[i%len(names)]
		key.Values, column.Values, content.Values = append(key.Values, strconv.Itoa(1000+i/len(names))), append(column.Values, name), append(content.Values, kinds[name]())
	}
	return g.table("t_kv"+g.digits(2), key, column, content)
}

// settings is a table of names and values that are nobody's.
func (g *generator) settings() Table {
	column, content := g.column("", "names of settings", sdk.TypeText, 0, nil), g.column("", "settings", sdk.TypeText, 0, nil)
	column.Name, content.Name = g.one("setting", "param", "key"), g.one("value", "wert", "valor")
	for i := range 60 {
		column.Values = append(column.Values, []string{"theme", "page_size", "currency", "retry_count", "log_level", "region"}[i%6])
		content.Values = append(content.Values, []string{"dark", "50", "EUR", "3", "info", "north"}[i%6])
	}
	return g.table("cfg_"+g.digits(2), column, content)
}

// documents is a table of JSON, some of it about persons.
func (g *generator) documents() Table {
	rows := g.one2(30, 400)
	names, nested := map[string]string{"en": "email", "de": "nachname", "fr": "telephone", "es": "direccion"}, g.persons()["given and surname"]
	personal := g.column(Document, "named fields", sdk.TypeJSON, rows, func() string {
		return fmt.Sprintf(`{"id": %s, "%s": "%s"}`, g.digits(5), names[g.language], "x"+g.digits(3))
	})
	hidden := g.column(Document, "fields that say nothing", sdk.TypeText, rows, func() string {
		return fmt.Sprintf(`{"ts": "2024-05-%02d", "f1": [{"v": "%s"}, {"v": "%s"}]}`, g.between(1, 28), nested(), g.mail())
	})
	list := g.column(Document, "an array", sdk.TypeNestedJSON, rows, func() string { return fmt.Sprintf(`["%s", "%s"]`, nested(), nested()) })
	event := g.column("", "events", sdk.TypeJSON, rows, func() string {
		return fmt.Sprintf(`{"type": "%s", "count": %d, "sku": "A-%s"}`, g.one("view", "click", "buy"), g.between(1, 9), g.digits(4))
	})
	return g.table("ev_"+g.digits(2), personal, hidden, list, event)
}
