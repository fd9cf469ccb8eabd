package corpus

import (
	"strconv"

	"github.com/loam-data/loam/sdk"
)

// drawnKeys has UUIDs as keys, columns that are called after a role or after nothing, and
// tables that say more of the rows of another one.
func drawnKeys(seed uint64) *Warehouse {
	w := newWarehouse("drawn keys and roles", seed)
	tenants := w.table("app", "tenants", 12).uuids("id").word("plan", "free", "team")
	users := w.table("app", "users", 160).uuids("id").to("tenant", tenants, "id").random("email", "", hex, "xxxxxxxx")
	users.refer("invited_by", users, "id", 0, .4)
	w.table("app", "user_profiles", 150).shuffledRefer("user_id", users, "id").word("locale", "de", "en").random("avatar_hash", "", hex, "xxxxxxxxxxxxxxxxxxxx")
	spaces := w.table("app", "spaces", 60).uuids("id").to("curator", users, "id").to("tenant", tenants, "id").word("visibility", "public", "private")
	pages := w.table("app", "pages", 900).uuids("id").to("space", spaces, "id").to("last_touch", users, "id").day("edited")
	pages.refer("above", pages, "id", 0, .2)
	w.table("app", "page_views", 4000).random("view", "", hex, "xxxxxxxxxxxxxxxxxxxxxxxx").to("what", pages, "id").refer("who", users, "id", .01, .3).
		either("subject", pages, spaces, "id", 0).number("seconds", 1, 300)
	w.table("app", "shares", 500).to("page", pages, "id").to("giver", users, "id").to("taker", users, "id")
	return w
}

// modules has dense numbers as keys, tables that begin with the module they are of, and
// in each who wrote its rows and who answers for them.
func modules(seed uint64) *Warehouse {
	w := newWarehouse("modules and their authors", seed)
	users := w.table("public", "core_user", 90).key("id").word("lang", "de", "en")
	written := func(t *Table) *Table { return t.to("created_by", users, "id").refer("updated_by", users, "id", 0, .2) }
	written(users)
	firms := written(w.table("public", "core_firm", 6).key("id").word("city", "Ulm", "Graz"))
	w.table("public", "core_setting", 40).key("id").to("firm_id", firms, "id").number("value", 1, 9)
	contacts := written(w.table("public", "crm_contact", 700).key("id").to("firm_id", firms, "id").number("num_visits", 0, 30))
	w.table("public", "crm_note", 600).key("id").to("contact_id", contacts, "id").to("create_uid", users, "id")
	w.table("public", "crm_call", 500).key("id").to("contact_id", contacts, "id").number("minutes", 1, 60).number("attempt", 1, 9)
	kinds := w.table("public", "fleet_type", 5).key("id").word("name", "van", "car")
	vehicles := written(w.table("public", "fleet_vehicle", 120).key("id").to("type_id", kinds, "id").number("seats", 2, 9))
	drives := w.table("public", "fleet_drive", 1600).key("id").to("vehicle_id", vehicles, "id").to("contact_shipping_id", contacts, "id").refer("approved_by_id", users, "id", 0, .5).number("stops_count", 1, 9)
	w.table("public", "fleet_drive_line", 3000).key("id").to("drive_id", drives, "id").number("sequence", 1, 20).number("num_parcels", 1, 40)
	return w
}

// extensions has tables that belong to another one by their names, and say so by parent
// and entity; what is none of them is called 0.
func extensions(seed uint64) *Warehouse {
	w := newWarehouse("extensions and parents", seed)
	deals := w.table("shop", "deal_entity", 500).key("entity_id").number("state", 0, 3).amount("total")
	goods := w.table("shop", "goods_entity", 300).key("entity_id").amount("price")
	w.table("shop", "goods_entity_text", 2000).key("value_id").to("entity_id", goods, "entity_id").word("value", "a", "b")
	w.table("shop", "goods_entity_number", 1500).key("value_id").to("entity_id", goods, "entity_id").number("value", 1, 300)
	w.table("shop", "deal_entity_address", 900).key("entity_id").to("parent_id", deals, "entity_id").word("kind", "bill", "ship")
	lines := w.table("shop", "deal_entity_line", 1400).key("line_id").to("deal_id", deals, "entity_id").to("goods_id", goods, "entity_id").number("qty", 1, 5)
	lines.refer("parent_line_id", lines, "line_id", 0, .6)
	trees := w.table("shop", "rubrics", 60).key("rubric_id").number("depth", 1, 4)
	trees.orZero("parent_id", trees, "rubric_id", .2)
	w.table("shop", "goods_ext", 280).shuffledRefer("goods_id", goods, "entity_id").number("weight", 1, 90)
	w.table("shop", "reviewlines", 700).key("id").orZero("goods_id", goods, "entity_id", .1).number("stars", 1, 5)
	return w
}

// compounds has names written as one word, keys counted from ten thousand on, and codes.
func compounds(seed uint64) *Warehouse {
	w := newWarehouse("compounds and codes", seed)
	people := w.table("desk", "hdperson", 200).from("ID", 10000).code("person_key", "HDUSER", 5, 10100)
	queues := w.table("desk", "hdqueue", 25).from("ID", 10000).code("qcode", "Q", 3, 11).to("KEEPER", people, "person_key")
	w.table("desk", "hdseverity", 5).code("ID", "", 1, 1).names("pname", "low", "mid", "high", "top", "worst")
	tickets := w.table("desk", "hdticket", 1800).from("ID", 10000).to("QUEUE", queues, "ID").to("OPENER", people, "person_key").refer("FIXER", people, "person_key", 0, .4).number("VOTES", 0, 30)
	w.table("desk", "hdaction", 3500).from("ID", 10000).to("ticketid", tickets, "ID").to("ACTOR", people, "person_key").number("wordcount", 1, 300)
	w.table("desk", "ticketlink", 300).from("ID", 10000).to("SOURCE", tickets, "ID").to("DESTINATION", tickets, "ID")
	ports := w.table("line", "harbours", 140).random("locode", "", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "xxxxx").word("land", "DE", "NL", "FR", "DK")
	ships := w.table("line", "ships", 80).random("imo", "IMO", "0123456789", "xxxxxxx").to("home_harbour", ports, "locode")
	w.table("line", "calls", 2200).key("call_id").to("vessel", ships, "imo").to("at", ports, "locode").refer("next_at", ports, "locode", 0, .1).number("berth", 1, 30)
	return w
}

// romance has French and Spanish names, with what says that they are keys before them.
func romance(seed uint64) *Warehouse {
	w := newWarehouse("keys said first", seed)
	clients := w.table("ventes", "clients", 400).key("num_client").word("ville", "Lyon", "Nice")
	staff := w.table("ventes", "employes", 50).key("num_employe")
	staff.refer("chef", staff, "num_employe", 0, .1)
	commandes := w.table("ventes", "commandes", 1500).key("num_commande").to("num_client", clients, "num_client").to("num_employe", staff, "num_employe")
	w.table("ventes", "lignes", 4000).key("id_ligne").to("id_commande", commandes, "num_commande").number("quantite", 1, 9).number("nb_colis", 1, 12)
	proveedores := w.table("compras", "proveedores", 70).key("cod_proveedor").word("ciudad", "Lugo", "Vigo")
	articulos := w.table("compras", "articulos", 260).key("cod_articulo").to("cod_proveedor", proveedores, "cod_proveedor")
	w.table("compras", "entradas", 900).key("id_entrada").to("id_articulo", articulos, "cod_articulo").to("proveedor_id", proveedores, "cod_proveedor").number("num_bultos", 1, 40)
	return w
}

// vaults has a table of hashes for each thing, and others for what is known of it and
// for what belongs together.
func vaults(seed uint64) *Warehouse {
	w := newWarehouse("hubs and satellites", seed)
	hub := func(name string, rows int) *Table {
		return w.table("dv", "hub_"+name, rows).hashes(name+"_hk").code(name+"_no", name[:2]+"-", 6, 1).day("load_date")
	}
	guests, rooms, hotels := hub("guest", 300), hub("room", 120), hub("hotel", 9)
	w.table("dv", "sat_guest", 300).shuffledRefer("guest_hk", guests, "guest_hk").hashes("hash_diff").word("tier", "a", "b")
	w.table("dv", "sat_room", 500).to("room_hk", rooms, "room_hk").day("load_date").number("beds", 1, 4)
	w.table("dv", "sat_hotel", 9).shuffledRefer("hotel_hk", hotels, "hotel_hk").number("stars", 1, 5)
	stays := w.table("dv", "lnk_stay", 1400).hashes("stay_hk").to("guest_hk", guests, "guest_hk").to("room_hk", rooms, "room_hk")
	w.table("dv", "lnk_room_hotel", 120).hashes("room_hotel_hk").shuffledRefer("room_hk", rooms, "room_hk").to("hotel_hk", hotels, "hotel_hk")
	w.table("dv", "sat_stay", 1400).shuffledRefer("stay_hk", stays, "stay_hk").number("nights", 1, 14)
	return w
}

// alike has columns whose values are among those of keys that they do not refer to.
func alike(seed uint64) *Warehouse {
	w := newWarehouse("values alike", seed)
	cities := []string{"Ulm", "Graz", "Bern", "Lyon", "Oslo", "Riga", "Turin", "Porto"}
	offices := w.table("hr", "offices", 8).key("office_id").names("city", cities...).number("num_desks", 1, 8)
	staff := w.table("hr", "workers", 60).key("worker_id").to("office_id", offices, "office_id").number("skill", 1, 8).number("years_total", 1, 30).number("operators", 1, 20)
	w.table("hr", "guests", 500).key("guest_id").word("city", cities...).number("customer_lead", 0, 20).to("host_by", staff, "worker_id")
	colours := w.table("hr", "badges", 5).code("badge", "", 1, 1).word("tone", "r", "g")
	_ = colours
	w.table("hr", "doors", 4).code("door", "", 1, 1).word("side", "n", "s")
	bills := w.table("fin", "bills", 900).key("bill_id").code("doc_no", "", 9, 100000001).amount("total")
	credits := w.table("fin", "credits", 500).key("credit_id").code("doc_no", "", 9, 100000001).to("bill_id", bills, "bill_id")
	w.table("fin", "payments", 1200).column("payment_id", bills.Columns[0].Type, func(row int) string { return strconv.Itoa(7*row + 3) }).to("bill_id", bills, "bill_id").refer("credit_id", credits, "credit_id", 0, .7).
		number("cents", 100, 90000).number("batch", 1, 400)
	return w
}

// numbered has lines that are known by the document they are of and by a number within
// it, and tables that refer to them by both.
func numbered(seed uint64) *Warehouse {
	w := newWarehouse("numbers within documents", seed)
	goods := w.table("erp", "goods", 200).key("goods_id").amount("price")
	bookings := w.table("erp", "bookings", 400).from("booking_id", 5000).word("state", "open", "done")
	lines := w.table("erp", "booking_lines", 1600)
	ids := bookings.get("booking_id").Values
	row := 0
	lines.draw("booking_id", bookings, "booking_id", func() string { row++; return ids[(row-1)/4] })
	lines.column("line_no", sdk.TypeInt64, func(row int) string { return strconv.Itoa(row%4 + 1) }).to("goods_id", goods, "goods_id").number("qty", 1, 9)
	taxes := w.table("erp", "booking_line_taxes", 900).key("tax_id").pair([2]string{"booking_id", "line_no"}, lines).amount("rate")
	taken := w.table("erp", "takebacks", 300).key("takeback_id").pair([2]string{"booking_id", "line_no"}, lines).day("arrived")
	for _, t := range []*Table{taxes, taken} {
		w.References = append(w.References, t.link("booking_id", bookings, "booking_id"))
	}
	w.table("erp", "stops", 500).key("stop_id").to("booking_id", bookings, "booking_id").number("stop_no", 1, 9)
	return w
}
