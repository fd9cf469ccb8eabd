package corpus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// harmless is a column that is to be kept; name is how it is called where it is
// not called like any other.
type harmless struct {
	name  string
	typ   sdk.Type
	value func() string
}

var goodsOf = map[string][2]string{
	"en": {"Oak Steel Trail Aero Nordic Classic Compact Urban Pro Ultra Garden Travel", "Chair Lamp Bottle Backpack Keyboard Blender Jacket Desk Kettle Mirror Tent Rug"},
	"de": {"Eiche Stahl Nordisch Klassik Kompakt Profi Garten Reise Premium Leicht Winter Kinder", "Stuhl Lampe Flasche Rucksack Tastatur Mixer Jacke Tisch Kessel Spiegel Zelt Teppich"},
	"fr": {"Chêne Acier Nordique Classique Compact Urbain Jardin Voyage Léger Hiver Enfant Luxe", "Chaise Lampe Bouteille Sac Clavier Mixeur Veste Bureau Bouilloire Miroir Tente Tapis"},
	"es": {"Roble Acero Nórdico Clásico Compacto Urbano Jardín Viaje Ligero Invierno Infantil Lujo", "Silla Lámpara Botella Mochila Teclado Batidora Chaqueta Mesa Hervidor Espejo Tienda Alfombra"},
}

var citiesOf = map[string]string{
	"en": "London Leeds Boston Austin Denver Chicago Houston Seattle Norwich Exeter Bath Oxford Jackson Charlotte Madison Florence Dover Derby Preston Lincoln",
	"de": "Berlin Hamburg München Köln Kiel Bremen Dresden Leipzig Mainz Bonn Essen Ulm Erfurt Passau Husum Gera Jena Trier Siegen Celle",
	"fr": "Paris Lyon Marseille Lille Nantes Nice Rennes Reims Brest Tours Amiens Metz Nancy Caen Rouen Dijon Angers Pau Laval Vannes",
	"es": "Madrid Barcelona Valencia Sevilla Bilbao Murcia Palma Vigo Gijón Burgos León Soria Lugo Cádiz Huelva Toledo Ávila Cuenca Teruel Zamora",
}

var descriptions = map[string][]string{
	"en": {"A light jacket for the colder days, with two pockets and a hood.", "This lamp is made of oak and gives a warm light.", "The bottle keeps drinks cold for a day and fits in most bags."},
	"de": {"Eine leichte Jacke für die kälteren Tage, mit zwei Taschen und einer Kapuze.", "Diese Lampe ist aus Eiche und gibt ein warmes Licht.", "Die Flasche hält Getränke einen Tag lang kalt und passt in die meisten Taschen."},
	"fr": {"Une veste légère pour les jours plus froids, avec deux poches et une capuche.", "Cette lampe est en chêne et donne une lumière chaude.", "La bouteille garde les boissons au frais pendant un jour."},
	"es": {"Una chaqueta ligera para los días más fríos, con dos bolsillos y capucha.", "Esta lámpara es de roble y da una luz cálida.", "La botella mantiene las bebidas frías durante un día."},
}

func (g *generator) word(of string) string { return g.one(strings.Fields(of)...) }

// firm is a name of a firm, often with that of a person in it.
func (g *generator) firm() string {
	ends := map[string][]string{
		"en": {" Ltd", " Inc.", " & Sons", " Logistics Ltd", " Group plc", " LLC"}, "de": {" GmbH", " AG", " & Söhne KG", " Maschinenbau GmbH", " e.K.", " GmbH & Co. KG"},
		"fr": {" SARL", " SA", " et Fils", " Transports SAS", " SCI"}, "es": {" S.L.", " S.A.", " e Hijos SL", " Construcciones S.L.", " y Cía"},
	}[g.language]
	if g.r.IntN(2) == 0 {
		return g.from("surname") + g.one(ends...)
	}
	return g.word("Nordwind Alpha Delta Terra Solaris Medi Omni Vita Inter Euro Trans Agro") + g.word("tec plan bau log data med soft therm plast netz") + g.one(ends...)
}

func (g *generator) day(least, most int) string {
	return At.AddDate(0, 0, -g.between(least, most)).Format("2006-01-02")
}

// harmless returns the ways of columns that hold nothing personal.
func (g *generator) harmless(rows int) map[string]harmless {
	text := func(name string, value func() string) harmless { return harmless{name, sdk.TypeText, value} }
	n := 0
	count := func(format string, from int) func() string {
		return func() string { n++; return fmt.Sprintf(format, from+n) }
	}
	goods := goodsOf[g.language]
	all := map[string]harmless{
		"document, filled up":  text("belnr", count("%010d", 12_000)),
		"document, high range": text("vbeln", count("%010d", 90_000_000)),
		"document, one zero":   text("order_no", func() string { return fmt.Sprintf("01%08d", 4_500_000+g.r.IntN(9*max(rows, 100))) }),
		"customer, filled up":  text("kunnr", func() string { return fmt.Sprintf("%010d", 100_000+g.r.IntN(40_000)) }),
		"material":             text("matnr", func() string { return fmt.Sprintf("%018d", g.r.IntN(4_000_000)) }),
		"account":              text("hkont", func() string { return fmt.Sprintf("%010d", 10_000*g.between(10, 89)) }),
		"order":                text("order_ref", count("2024-%06d", 1)),
		"invoice":              text("invoice", count("RE-2024-%05d", 10)),
		"number of digits":     text("vorgang", count("%d", 4_500_000_000)),
		"number, spread":       text("barcode", func() string { return "40" + g.digits(11) }),
		"number of 11 digits":  text("", func() string { return g.one("1", "2", "3") + g.digits(10) }),
		"number of 16 digits":  text("", func() string { return g.one("4", "5", "3", "9") + g.digits(15) }),
		"parcel":               text("tracking", func() string { return "00340" + g.digits(15) }),
		"part":                 text("part_no", func() string { return g.fill("##-###-####") }),
		"article":              text("sku", func() string { return g.chars("ABCDEFGHKLM", 2) + g.fill("-#####-") + g.chars("ABXYZ", 1) }),
		"place in store":       text("bin", func() string { return g.fill("A-0#-1#-0#") }),
		"batch":                text("charge", func() string { return "L" + strings.ReplaceAll(g.day(1, 900), "-", "") + "-" + g.digits(2) }),
		"uuid": text("uid", func() string {
			return g.chars(base16, 8) + "-" + g.chars(base16, 4) + "-4" + g.chars(base16, 3) + "-a" + g.chars(base16, 3) + "-" + g.chars(base16, 12)
		}),
		"version": text("version", func() string { return fmt.Sprintf("%d.%d.%d", g.between(1, 12), g.r.IntN(20), g.r.IntN(30)) }),
		"url": text("url", func() string {
			return "https://shop.example.com/" + g.word("sale new home item cart") + "/" + g.digits(5)
		}),
		"path":   text("path", func() string { return "/data/in/" + g.day(1, 400) + "/part-" + g.digits(4) + ".parquet" }),
		"status": text("status", func() string { return g.word("open closed pending shipped paid") }),
		"kind":   text("category", func() string { return g.word(goods[1]) }),
		"product": text("product_name", func() string {
			return g.word(goods[0]) + " " + g.word(goods[1]) + " " + g.one("", "", "XL", "2000", "II")
		}),
		"product, long": text("title", func() string {
			return g.word(goods[0]) + " " + g.word(goods[1]) + " " + g.word(goods[0]) + " 40 cm, 2er Set (" + g.digits(2) + ")"
		}),
		"description": text("description", func() string { return g.one(descriptions[g.language]...) }),
		"city":        text("city", func() string { return g.word(citiesOf[g.language]) }),
		"region": text("region", func() string {
			return g.word("North South East West Bayern Sachsen Bretagne Normandie Aragón Galicia Kent Devon")
		}),
		"firm": text("company", func() string { return g.firm() }),
		"department": text("department", func() string {
			return g.word("Sales Marketing Finance Legal IT Vertrieb Einkauf Ventes Achats Compras Ventas Logistik")
		}),
		"job": text("position", func() string {
			return g.word("Senior Junior Lead Chief") + " " + g.word("Engineer Analyst Accountant Developer Buyer Manager")
		}),
		"colour": text("colour", func() string {
			return g.word("Red Blue Green Rot Blau Grün Bleu Vert Rojo Verde Amber Olive Violet Rose")
		}),
		"month": text("month", func() string {
			return g.word("January February March April May June Juli August September Oktober Novembre Diciembre")
		}),
		"brand": text("brand", func() string {
			return g.word("Acme Globex Initech Umbrella Stark Wayne Hooli Vandelay Siemens Bosch Philips Renault Seat Ford")
		}),
		"message": text("event", func() string {
			return g.one("The order was shipped to the customer.", "The payment has failed and will be tried again.", "Das Paket wurde an den Kunden übergeben.", "La commande a été expédiée.")
		}),
		"postal code":   text("plz", func() string { return g.fill("0####") }),
		"country":       text("country", func() string { return g.word("DE FR ES GB US AT CH IT NL PL") }),
		"time":          text("slot", func() string { return fmt.Sprintf("%02d:%02d", g.r.IntN(24), 15*g.r.IntN(4)) }),
		"text of a day": text("", func() string { return g.day(0, 1500) }),
		"measure":       text("dimension", func() string { return g.fill("1#x2#x3#") + g.one(" cm", " mm") }),
		"money as text": text("", func() string { return g.digits(3) + g.one(".", ",") + g.digits(2) + g.one(" EUR", "") }),
		"coordinates":   text("", func() string { return g.fill("5#.####, 1#.####") }),
		"agent of a browser": text("user_agent", func() string {
			return "Mozilla/5.0 (" + g.one("X11; Linux x86_64", "Windows NT 10.0") + ") Firefox/" + g.digits(3)
		}),
		"store": text("store_name", func() string {
			return g.one("Filiale ", "Store ", "Magasin ", "Tienda ") + g.word(citiesOf[g.language]) + " " + g.one("Nord", "Süd", "1", "2", "Centre")
		}),
		"place in a race":   text("", func() string { return g.one("Platz ", "Place ", "Rang ", "Puesto ") + strconv.Itoa(g.between(1, 60)) }),
		"ordered on":        {"order_date", sdk.TypeDate, func() string { return g.day(0, 2000) }},
		"employed since":    {"eintritt", sdk.TypeDate, func() string { return g.day(30, 11_000) }},
		"valid until":       {"valid_to", sdk.TypeDate, func() string { return g.one("9999-12-31", g.day(-700, 100)) }},
		"month of accounts": {"period", sdk.TypeDate, func() string { return g.day(0, 9000)[:8] + "01" }},
		"changed at":        {"changed", sdk.TypeTimestamp, func() string { return g.day(0, 2500) + fmt.Sprintf("T%02d:%02d:11", g.r.IntN(24), g.r.IntN(60)) }},
		"amount":            {"amount", sdk.TypeDecimal, func() string { return strconv.Itoa(g.between(1, 99_999)) + "." + g.digits(2) }},
		"quantity":          {"qty", sdk.TypeInt64, func() string { return strconv.Itoa(g.between(1, 500)) }},
		"key":               {"customer_id", sdk.TypeInt64, count("%d", 1_000_000)},
		"large key":         {"", sdk.TypeInt64, func() string { return "4" + g.digits(15) }},
		"day as a number":   {"date_key", sdk.TypeInt64, func() string { return strings.ReplaceAll(g.day(0, 3000), "-", "") }},
		"year":              {"year", sdk.TypeInt64, func() string { return strconv.Itoa(g.between(1960, 2026)) }},
	}
	return all
}
