package demo

import (
	"fmt"
	"time"
)

var regions = [][3]string{
	{"Bavaria", "DE", "Europe/Berlin"},
	{"Hamburg", "DE", "Europe/Berlin"},
	{"Saxony", "DE", "Europe/Berlin"},
	{"Vienna", "AT", "Europe/Vienna"},
	{"Zürich", "CH", "Europe/Zurich"},
	{"Geneva", "CH", "Europe/Zurich"},
	{"Île-de-France", "FR", "Europe/Paris"},
	{"Lombardy", "IT", "Europe/Rome"},
	{"Greater London", "GB", "Europe/London"},
	{"Scotland", "GB", "Europe/London"},
	{"Łódź", "PL", "Europe/Warsaw"},
	{"Catalonia", "ES", "Europe/Madrid"},
}

var (
	givenNames  = []string{"Anna", "Jonas", "Mia", "Elif", "Noah", "Zoë", "Lars", "Ines", "Paweł", "Chiara", "Owen", "Núria", "Sofia", "Emil", "Ada", "Tariq"}
	familyNames = []string{"Müller", "Novak", "Rossi", "Dubois", "O'Brien", "Schmidt", "García", "Kowalski", "Smith", "Yılmaz", "Weber", "Conti", "Brown", "Moreau"}
	topLevel    = []string{"Kitchen", "Garden", "Office", "Outdoor"}
	subLevel    = map[string][]string{
		"Kitchen": {"Coffee", "Cookware", "Storage"}, "Garden": {"Seeds", "Tools"},
		"Office": {"Desks", "Chairs", "Lighting"}, "Outdoor": {"Tents", "Lamps", "Bottles"},
	}
	materials = []string{"Oak", "Steel", "Copper", "Linen", "Cork", "Glass", "Wool", "Bamboo"}
	tagNames  = []string{"bestseller", "gift", "sale", "sustainable", "new", "handmade", "fragile"}
	reasons   = []any{"damaged", "late", "wrong item", "changed mind", nil}
)

const productCount = 120

func (s *sample) shop() {
	for i, r := range regions {
		s.insert("regions", i+1, r[0], r[1], r[2])
	}
	s.customers()
	s.products()
	s.orders()
	s.rates()
}

func (s *sample) customers() {
	r := stream("customers")
	for id := 1; id <= customerCount; id++ {
		given, family := pick(r, givenNames), pick(r, familyNames)
		email := fmt.Sprintf("customer%d@example.org", id)
		segment := pick(r, []string{"consumer", "consumer", "consumer", "business", "public"})
		s.insert("customers", id, given+" "+family, maybe(r, 4, email), maybe(r, 7, segment),
			maybe(r, 3, r.IntN(len(regions))+1), timestamp(moment(r)))
	}
}

func (s *sample) products() {
	r := stream("products")
	var leaves []int
	names := map[int]string{}
	id := 0
	for _, top := range topLevel {
		id++
		parent := id
		s.insert("categories", parent, top, nil)
		for _, sub := range subLevel[top] {
			id++
			s.insert("categories", id, sub, parent)
			leaves, names[id] = append(leaves, id), sub
		}
	}
	for i, name := range tagNames {
		s.insert("tags", i+1, name)
	}
	for p := 1; p <= productCount; p++ {
		category := pick(r, leaves)
		active := 1
		if r.IntN(12) == 0 {
			active = 0
		}
		s.insert("products", p, fmt.Sprintf("SKU-%04d", p), fmt.Sprintf("%s %s No. %d", pick(r, materials), names[category], p), category, active)
		for tag := range tagNames {
			if r.IntN(4) == 0 {
				s.insert("product_tags", p, tag+1)
			}
		}
		s.prices(p)
	}
}

// prices gives a product one to three prices with a validity each, without gaps.
func (s *sample) prices(product int) {
	for i, p := range priceHistory(product) {
		var until any
		if next := priceHistory(product); i+1 < len(next) {
			until = date(next[i+1].from)
		}
		s.insert("product_prices", product, date(p.from), until, p.cents)
	}
}

type price struct {
	from  time.Time
	cents int
}

func priceHistory(product int) []price {
	r := stream(fmt.Sprintf("price %d", product))
	history := []price{{firstDay, 400 + r.IntN(40)*250}}
	for range r.IntN(3) {
		last := history[len(history)-1]
		history = append(history, price{last.from.AddDate(0, 2+r.IntN(8), r.IntN(20)), last.cents * (95 + r.IntN(20)) / 100})
	}
	return history
}

func priceAt(product int, t time.Time) int {
	cents := 0
	for _, p := range priceHistory(product) {
		if !p.from.After(t) {
			cents = p.cents
		}
	}
	return cents
}

func (s *sample) orders() {
	r := stream("orders")
	refund := 0
	for id := 1; id <= orderCount; id++ {
		at := moment(r)
		bill := r.IntN(len(regions)) + 1
		ship := bill
		if r.IntN(6) == 0 {
			ship = r.IntN(len(regions)) + 1
		}
		currency := map[string]string{"CH": "CHF", "GB": "GBP"}[regions[bill-1][1]]
		if currency == "" {
			currency = "EUR"
		}
		status := pick(r, []string{"shipped", "shipped", "shipped", "shipped", "paid", "pending", "cancelled"})
		var shipped any
		if status == "shipped" {
			shipped = timestamp(at.Add(time.Duration(10+r.IntN(100)) * time.Hour))
		}
		s.insert("orders", id, maybe(r, 8, r.IntN(customerCount)+1), bill, ship, status, currency, pick(r, []int{0, 490, 490, 990}), timestamp(at), shipped)
		for line := 1; line <= 1+min(r.IntN(5), r.IntN(5)); line++ {
			product := min(r.IntN(productCount), r.IntN(productCount)) + 1
			unit := priceAt(product, at)
			discount := 0
			if r.IntN(9) == 0 {
				discount = unit / 10
			}
			s.insert("order_items", id, line, product, 1+min(r.IntN(4), r.IntN(4)), unit, discount)
			if status == "shipped" && r.IntN(22) == 0 {
				refund++
				s.insert("refunds", refund, id, line, unit-discount, pick(r, reasons), timestamp(at.AddDate(0, 0, 3+r.IntN(20))))
			}
		}
	}
}

func (s *sample) rates() {
	r := stream("rates")
	franc, pound := 1_040_000, 1_160_000
	for day := firstDay; !day.After(lastDay); day = day.AddDate(0, 0, 1) {
		franc += r.IntN(6001) - 3000
		pound += r.IntN(6001) - 3000
		s.insert("exchange_rates", date(day), "EUR", "1.000000")
		s.insert("exchange_rates", date(day), "CHF", fmt.Sprintf("%d.%06d", franc/1_000_000, franc%1_000_000))
		s.insert("exchange_rates", date(day), "GBP", fmt.Sprintf("%d.%06d", pound/1_000_000, pound%1_000_000))
	}
}

func (s *sample) crm() {
	r := stream("crm")
	agents := []string{"AB", "CK", "DM", "EF", "JO"}
	for i, code := range agents {
		s.insert("agent", code, givenNames[i]+" "+familyNames[i], pick(r, []string{"first line", "billing", "returns"}))
	}
	subjects := []string{"Where is my parcel?", "Invoice is wrong", "Item arrived broken", "How do I return this?", "Please change my address"}
	for id := 1; id <= ticketCount; id++ {
		opened := moment(r).In(time.FixedZone("", 3600))
		customer := 1 + r.IntN(customerCount+20) // the last twenty are gone from the shop
		s.insert("ticket", id, maybe(r, 5, customer), maybe(r, 10, pick(r, agents)), pick(r, []string{"mail", "chat", "phone"}),
			1+r.IntN(4), pick(r, subjects), opened.Format(time.RFC3339), maybe(r, 12, opened.Add(time.Duration(1+r.IntN(200))*time.Hour).Format(time.RFC3339)))
	}
	plans := []string{"basic", "plus", "pro"}
	for i, plan := range plans {
		s.insert("plan", plan, "Coffee club "+plan, 900*(i+1)+100, []string{"month", "month", "year"}[i])
	}
	for id := 1; id <= 420; id++ {
		started := moment(r)
		s.insert("subscription", id, 1+r.IntN(customerCount+20), pick(r, plans), date(started), maybe(r, 65, date(started.AddDate(0, 1+r.IntN(10), 0))))
	}
	s.cards()
}

// cards gives two tables overlapping keys. The cards that were used are in both: nothing but a person knows which are meant.
func (s *sample) cards() {
	r := stream("cards")
	number := func(i int) int { return 70_000 + 7*i }
	for i := range 120 {
		s.insert("club_card", number(i), date(moment(r)))
		s.insert("gift_card", number(i+40), 1000*(1+r.IntN(5)))
	}
	for id := 1; id <= 300; id++ {
		s.insert("card_use", id, number(40+r.IntN(80)), date(moment(r)))
	}
}
