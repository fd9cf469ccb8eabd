package corpus

import "fmt"

// Warehouses makes a warehouse of each shape.
func Warehouses(seed uint64) []*Warehouse {
	return []*Warehouse{
		shopAndStar(seed), shortNames(seed), german(seed), japanese(seed),
		copies(seed), pairs(seed), twins(seed), chance(seed), archive(seed), mixedCase(seed), wide(seed), empty(seed),
		drawnKeys(seed), modules(seed), extensions(seed), compounds(seed), romance(seed), vaults(seed), alike(seed), numbered(seed),
	}
}

// shopAndStar is a shop and what is made of it for reports: products are known by
// one number there and by another one here, and both are the numbers from 1 on.
func shopAndStar(seed uint64) *Warehouse {
	w := newWarehouse("shop and star schema", seed)
	customers := w.table("shop", "customers", 800).key("customer_id").word("country", "DE", "FR", "JP")
	categories := w.table("shop", "categories", 12).key("category_id").code("name", "Category ", 2, 1)
	products := w.table("shop", "products", 300).key("product_id").to("category_id", categories, "category_id").amount("price")
	orders := w.table("shop", "orders", 3000).key("order_id").to("customer_id", customers, "customer_id").word("status", "open", "paid")
	w.table("shop", "order_items", 6000).key("order_item_id").to("order_id", orders, "order_id").to("product_id", products, "product_id").number("qty", 1, 9)
	w.table("shop", "reviews", 900).key("review_id").to("prod_id", products, "product_id").number("rating", 1, 5)
	w.table("shop", "carts", 400).key("cart_id").refer("cust_id", customers, "customer_id", 0, .3)
	dimProd := w.table("wh", "dim_prod", 300).shuffled("prod_key").word("brand", "a", "b")
	dimCust := w.table("wh", "dim_cust", 800).shuffled("cust_key").word("segment", "a", "b")
	dates := w.table("wh", "dim_date", 365).from("date_key", 20240101).number("month", 1, 12).number("week", 1, 52)
	w.table("wh", "fact_sales", 6000).to("prod_key", dimProd, "prod_key").to("cust_key", dimCust, "cust_key").to("date_key", dates, "date_key").amount("amount")
	w.table("wh", "fact_returns", 700).to("prod_key", dimProd, "prod_key").to("date_key", dates, "date_key").number("units", 1, 4)
	return w
}

// shortNames has tables whose names say nothing and columns of five letters that
// are called alike wherever they mean the same; documents have zero-padded numbers.
func shortNames(seed uint64) *Warehouse {
	w := newWarehouse("short names", seed)
	client := func(t *Table) *Table { return t.word("MANDT", "100") }
	bukrs := client(w.table("SAP", "T001", 4)).code("BUKRS", "10", 2, 0).word("WAERS", "EUR", "USD")
	kna1 := client(w.table("SAP", "KNA1", 500)).code("KUNNR", "", 10, 10001).word("LAND1", "DE", "AT")
	lfa1 := client(w.table("SAP", "LFA1", 120)).code("LIFNR", "", 10, 90001).word("LAND1", "DE", "AT")
	mara := client(w.table("SAP", "MARA", 400)).code("MATNR", "", 18, 5001).word("MTART", "FERT", "ROH")
	vbak := client(w.table("SAP", "VBAK", 2000)).code("VBELN", "", 10, 700001).to("KUNNR", kna1, "KUNNR").word("AUART", "TA", "RE")
	client(w.table("SAP", "VBAP", 5000)).to("VBELN", vbak, "VBELN").number("POSNR", 10, 90).to("MATNR", mara, "MATNR").amount("NETWR")
	ekko := client(w.table("SAP", "EKKO", 900)).code("EBELN", "", 10, 4500001).to("LIFNR", lfa1, "LIFNR").to("BUKRS", bukrs, "BUKRS")
	client(w.table("SAP", "EKPO", 2500)).to("EBELN", ekko, "EBELN").number("EBELP", 10, 90).to("MATNR", mara, "MATNR")
	client(w.table("SAP", "BSID", 3000)).refer("KUNNR", kna1, "KUNNR", 0, .1).to("BUKRS", bukrs, "BUKRS").amount("DMBTR")
	client(w.table("SAP", "MARD", 800)).to("MATNR", mara, "MATNR").word("WERKS", "1000", "2000").amount("LABST")
	return w
}

// german has German names, plurals and all.
func german(seed uint64) *Warehouse {
	w := newWarehouse("German names", seed)
	kunden := w.table("vertrieb", "kunden", 600).key("kunden_nr").word("land", "DE", "AT", "CH")
	artikel := w.table("vertrieb", "artikel", 350).key("artikel_nr").amount("preis")
	lieferanten := w.table("einkauf", "lieferanten", 90).key("lieferanten_nr").word("ort", "Ulm", "Graz")
	auftraege := w.table("vertrieb", "auftraege", 2000).key("auftrag_id").to("kunden_nr", kunden, "kunden_nr").word("status", "offen", "bezahlt")
	w.table("vertrieb", "auftragspositionen", 5000).key("pos_id").to("auftrag_id", auftraege, "auftrag_id").to("artikel_nr", artikel, "artikel_nr").number("menge", 1, 20)
	w.table("vertrieb", "rechnungen", 1800).key("rechnung_id").to("auftrag_id", auftraege, "auftrag_id").to("kunde_nr", kunden, "kunden_nr").amount("betrag")
	bestellungen := w.table("einkauf", "bestellungen", 700).key("bestellung_id").to("lieferant_nr", lieferanten, "lieferanten_nr")
	w.table("einkauf", "bestellpositionen", 1500).key("position_id").to("bestellung_id", bestellungen, "bestellung_id").to("artikel_nr", artikel, "artikel_nr").number("anzahl", 1, 50)
	return w
}

// japanese has Japanese names.
func japanese(seed uint64) *Warehouse {
	w := newWarehouse("Japanese names", seed)
	customers := w.table("営業", "顧客", 400).key("顧客ID").word("都道府県", "東京都", "大阪府")
	products := w.table("営業", "商品", 200).key("商品ID").amount("単価")
	staff := w.table("営業", "社員", 60).key("社員ID").word("部署", "営業部", "総務部")
	orders := w.table("営業", "受注", 1500).key("受注ID").to("顧客ID", customers, "顧客ID").to("社員ID", staff, "社員ID")
	w.table("営業", "受注明細", 4000).to("受注ID", orders, "受注ID").number("行番号", 1, 9).to("商品ID", products, "商品ID").number("数量", 1, 9)
	return w
}

// copies has a table for each day, of the same columns.
func copies(seed uint64) *Warehouse {
	w := newWarehouse("daily copies", seed)
	users := w.table("app", "users", 500).key("user_id").word("plan", "free", "paid")
	shops := w.table("app", "shops", 40).key("shop_id").word("city", "Ulm", "Graz")
	for day := range 40 {
		name := fmt.Sprintf("orders_202401%02d", day+1)
		if day >= 31 {
			name = fmt.Sprintf("orders_202402%02d", day-30)
		}
		w.table("log", name, 60).from("order_id", 1+60*day).to("user_id", users, "user_id").to("shop_id", shops, "shop_id").amount("amount")
	}
	for month := range 12 {
		w.table("log", fmt.Sprintf("events_p2024_%02d", month+1), 80).from("event_id", 1+80*month).to("user_id", users, "user_id").word("kind", "view", "click")
	}
	return w
}

// pairs has two tables for each month, of which the lines refer to the bills of
// the same month, whose numbers begin again.
func pairs(seed uint64) *Warehouse {
	w := newWarehouse("monthly pairs", seed)
	members := w.table("club", "members", 200).key("member_id").word("plan", "a", "b")
	for month := range 12 {
		bills := w.table("club", fmt.Sprintf("bills_2024_%02d", month+1), 150).key("bill_id").to("member_id", members, "member_id")
		w.table("club", fmt.Sprintf("bill_lines_2024_%02d", month+1), 400).key("bill_line_id").to("bill_id", bills, "bill_id").amount("amount")
	}
	return w
}

// twins has tables of which each may be what is referred to.
func twins(seed uint64) *Warehouse {
	w := newWarehouse("twins", seed)
	account := w.table("app", "account", 300).key("account_id").word("plan", "free", "paid")
	accounts := w.table("app", "accounts", 300).key("account_id").word("segment", "a", "b")
	logins := w.table("app", "logins", 900).from("login_id", 5000)
	logins.column("account_id", account.get("account_id").Type, func(int) string { return account.get("account_id").Values[w.rng.IntN(300)] })
	_ = accounts
	return w
}

// chance has small numbers everywhere, which are among any key's.
func chance(seed uint64) *Warehouse {
	w := newWarehouse("numbers by chance", seed)
	accounts := w.table("crm", "accounts", 300).key("account_id").number("tier", 1, 3)
	regions := w.table("crm", "regions", 12).key("region_id").code("name", "Region ", 2, 1)
	contacts := w.table("crm", "contacts", 900).key("contact_id").to("account_id", accounts, "account_id").to("region_id", regions, "region_id")
	w.table("crm", "visits", 2000).key("visit_id").to("contact_id", contacts, "contact_id").number("contact_no", 1, 5).number("visit_no", 1, 30)
	w.table("crm", "account_stats", 300).shuffledRefer("account_id", accounts, "account_id").
		number("contacts_cnt", 0, 12).number("visits_prev", 1, 40).number("accounts_prev", 1, 30).number("region_rank", 1, 12).number("visit_count", 1, 50).number("contact_total", 1, 12)
	sensors := w.table("plant", "sensors", 40).key("sensor_id").number("slot_no", 1, 12).number("line_no", 1, 10)
	lines := w.table("plant", "lines", 10).key("line_id").word("hall", "A", "B")
	sensors.open("line_no", lines, "line_id")
	w.table("plant", "readings", 4000).key("reading_id").to("sensor_id", sensors, "sensor_id").to("line_id", lines, "line_id").number("level", 1, 40).number("sensor_seq", 1, 40).number("region_month", 1, 12)
	return w
}

// archive has old rows in tables of the same names, and a backup of some.
func archive(seed uint64) *Warehouse {
	w := newWarehouse("archive and backup", seed)
	customers := w.table("sales", "customers", 500).key("customer_id").word("country", "DE", "FR")
	old := w.table("sales_archive", "customers", 500).key("customer_id").word("country", "DE", "FR")
	backup := w.table("sales", "customers_bak", 480).key("customer_id").word("country", "DE", "FR")
	orders := w.table("sales", "orders", 1500).from("order_id", 100000).to("customer_id", customers, "customer_id")
	w.table("sales_archive", "orders", 1200).from("order_id", 50000).to("customer_id", old, "customer_id")
	w.table("sales", "order_lines", 3000).key("line_id").to("order_id", orders, "order_id").number("qty", 1, 9)
	tickets := w.table("support", "tickets", 700).key("ticket_id").to("customer_id", customers, "customer_id")
	tickets.open("customer_id", old, "customer_id")
	backup.open("customer_id", customers, "customer_id")
	return w
}

// mixedCase is named as programs are, with several references to one table and
// rows that refer to nothing.
func mixedCase(seed uint64) *Warehouse {
	w := newWarehouse("mixed case, orphans", seed)
	customers := w.table("dbo", "Customer", 700).key("CustomerID").word("Segment", "A", "B")
	addresses := w.table("dbo", "Address", 900).key("AddressID").word("City", "Ulm", "Graz")
	employees := w.table("dbo", "Employee", 80).key("EmployeeID")
	employees.refer("ManagerID", employees, "EmployeeID", 0, .1)
	categories := w.table("dbo", "ProductCategory", 15).key("ProductCategoryID").code("Name", "Category ", 2, 1)
	products := w.table("dbo", "Product", 260).key("ProductID").to("CategoryID", categories, "ProductCategoryID")
	orders := w.table("dbo", "SalesOrder", 2500).from("SalesOrderID", 43000).refer("CustomerRef", customers, "CustomerID", .03, 0).
		to("BillToAddressID", addresses, "AddressID").to("ShipToAddressID", addresses, "AddressID").refer("EmployeeID", employees, "EmployeeID", 0, .5)
	w.table("dbo", "SalesOrderDetail", 6000).key("SalesOrderDetailID").to("SalesOrderID", orders, "SalesOrderID").refer("ProductID", products, "ProductID", .02, 0).number("OrderQty", 1, 30)
	return w
}

// wide has tables of two hundred columns, most of them small numbers.
func wide(seed uint64) *Warehouse {
	w := newWarehouse("wide tables", seed)
	patients := w.table("clinic", "patients", 400).key("patient_id").word("ward", "A", "B")
	doctors := w.table("clinic", "doctors", 50).key("doctor_id").word("ward", "A", "B")
	for _, name := range []string{"assessments", "surveys"} {
		t := w.table("clinic", name, 600).key(name[:len(name)-1]+"_id").to("patient_id", patients, "patient_id").to("doctor_id", doctors, "doctor_id")
		for i := range 200 {
			t.number(fmt.Sprintf("item_%03d", i+1), 1, 5)
		}
	}
	return w
}

// empty has tables without rows.
func empty(seed uint64) *Warehouse {
	w := newWarehouse("tables without rows", seed)
	customers := w.table("erp", "customers", 100).key("customer_id").word("country", "DE", "FR")
	w.table("erp", "orders", 500).key("order_id").to("customer_id", customers, "customer_id")
	for i := range 100 {
		w.table("erp", fmt.Sprintf("module%02d_log", i), 0).key("log_id").number("customer_id", 1, 2).number("order_id", 1, 2)
	}
	return w
}
