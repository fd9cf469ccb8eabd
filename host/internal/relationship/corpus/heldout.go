package corpus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// HeldOut makes a warehouse of each shape that the rules were not made on. They
// measure how well inference does elsewhere: whoever changes a rule looks at those
// of Warehouses, and not at these.
func HeldOut(seed uint64) []*Warehouse {
	return []*Warehouse{
		blog(seed), attributes(seed), crm(seed), issues(seed), erp(seed), freight(seed),
		vault(seed), frenchAndSpanish(seed), bank(seed), tracking(seed), star(seed), telecom(seed),
	}
}

// blog is a content system: one prefix for all tables, keys called ID, and 0 for
// what refers to nothing.
func blog(seed uint64) *Warehouse {
	w := newWarehouse("blog", seed)
	users := w.table("web", "wp_users", 60).key("ID").code("user_login", "user", 3, 1).number("user_status", 0, 0).day("user_registered")
	w.table("web", "wp_usermeta", 900).key("umeta_id").to("user_id", users, "ID").word("meta_key", "nickname", "locale", "rich_editing").number("meta_value", 0, 10)
	posts := w.table("web", "wp_posts", 1800).key("ID").few("post_author", users, "ID", 9, 0).day("post_date").
		word("post_status", "publish", "draft", "inherit").word("post_type", "post", "page", "attachment").number("menu_order", 0, 20).number("comment_count", 0, 40)
	posts.orZero("post_parent", posts, "ID", .6)
	w.table("web", "wp_postmeta", 4000).key("meta_id").skewed("post_id", posts, "ID", 0).word("meta_key", "_edit_last", "_thumbnail_id", "_edit_lock").number("meta_value", 1, 1800)
	terms := w.table("web", "wp_terms", 140).key("term_id").code("slug", "term-", 3, 1).number("term_group", 0, 0)
	taxonomy := w.table("web", "wp_term_taxonomy", 140).key("term_taxonomy_id").shuffledRefer("term_id", terms, "term_id").
		word("taxonomy", "category", "post_tag").orZero("parent", terms, "term_id", .8).number("count", 0, 90)
	terms.open("term_id", taxonomy, "term_id")
	taxonomy.open("parent", taxonomy, "term_id")
	w.table("web", "wp_term_relationships", 3500).to("object_id", posts, "ID").skewed("term_taxonomy_id", taxonomy, "term_taxonomy_id", 0).number("term_order", 0, 0)
	comments := w.table("web", "wp_comments", 2200).key("comment_ID").skewed("comment_post_ID", posts, "ID", 0).number("comment_karma", 0, 3).
		orZero("user_id", users, "ID", .7).word("comment_approved", "0", "1", "spam")
	comments.orZero("comment_parent", comments, "comment_ID", .7)
	w.table("web", "wp_commentmeta", 600).key("meta_id").refer("comment_id", comments, "comment_ID", .03, 0).word("meta_key", "rating", "akismet_result").number("meta_value", 1, 5)
	w.table("web", "wp_options", 300).key("option_id").code("option_name", "option_", 3, 1).word("autoload", "yes", "no")
	return w
}

// attributes is a web shop product: every table's key is called entity_id, and what
// is known of products is in one table for each type of value.
func attributes(seed uint64) *Warehouse {
	w := newWarehouse("shop of entities", seed)
	sites := w.table("mage", "store_website", 3).key("website_id").names("code", "admin", "base", "outlet")
	stores := w.table("mage", "store", 6).key("store_id").to("website_id", sites, "website_id").names("code", "admin", "de", "fr", "en", "nl", "it")
	groups := w.table("mage", "customer_group", 5).key("customer_group_id").names("customer_group_code", "NOT LOGGED IN", "General", "Wholesale", "Retailer", "VIP")
	types := w.table("mage", "eav_entity_type", 8).key("entity_type_id").code("entity_type_code", "type_", 1, 1)
	sets := w.table("mage", "eav_attribute_set", 14).key("attribute_set_id").to("entity_type_id", types, "entity_type_id").number("sort_order", 0, 9)
	attributes := w.table("mage", "eav_attribute", 160).key("attribute_id").to("entity_type_id", types, "entity_type_id").code("attribute_code", "attr_", 3, 1).word("backend_type", "int", "varchar", "decimal")
	customers := w.table("mage", "customer_entity", 700).key("entity_id").to("website_id", sites, "website_id").to("group_id", groups, "customer_group_id").
		to("store_id", stores, "store_id").code("email", "buyer", 4, 1).number("is_active", 0, 1)
	homes := w.table("mage", "customer_address_entity", 900).key("entity_id").to("parent_id", customers, "entity_id").word("country_id", "DE", "FR", "NL")
	categories := w.table("mage", "catalog_category_entity", 80).key("entity_id").number("position", 1, 30).number("level", 1, 4).number("children_count", 0, 12)
	categories.orZero("parent_id", categories, "entity_id", .02)
	products := w.table("mage", "catalog_product_entity", 500).key("entity_id").few("attribute_set_id", sets, "attribute_set_id", 6, 0).code("sku", "SKU-", 5, 20001).word("type_id", "simple", "configurable")
	w.table("mage", "catalog_category_product", 1500).key("entity_id").to("category_id", categories, "entity_id").to("product_id", products, "entity_id").number("position", 0, 60)
	for _, kind := range []string{"int", "varchar", "decimal"} {
		values := w.table("mage", "catalog_product_entity_"+kind, 2500).key("value_id").few("attribute_id", attributes, "attribute_id", 30, 0).to("store_id", stores, "store_id").to("entity_id", products, "entity_id")
		switch kind {
		case "int":
			values.number("value", 0, 4)
		case "decimal":
			values.amount("value")
		default:
			values.word("value", "red", "blue", "cotton", "wool")
		}
	}
	quotes := w.table("mage", "quote", 1600).key("entity_id").refer("customer_id", customers, "entity_id", 0, .4).to("store_id", stores, "store_id").number("items_count", 0, 7)
	orders := w.table("mage", "sales_order", 1100).key("entity_id").code("increment_id", "", 9, 1).refer("customer_id", customers, "entity_id", .02, .3).
		to("store_id", stores, "store_id").refer("quote_id", quotes, "entity_id", 0, 0).number("total_item_count", 1, 7).word("status", "pending", "complete")
	lines := w.table("mage", "sales_order_item", 2600).key("item_id").to("order_id", orders, "entity_id").refer("product_id", products, "entity_id", .02, 0).number("qty_ordered", 1, 6)
	lines.refer("parent_item_id", lines, "item_id", 0, .8)
	lines.refer("sku", products, "sku", 0, 0) // as it was when ordered
	addresses := w.table("mage", "sales_order_address", 2000).key("entity_id").to("parent_id", orders, "entity_id").refer("customer_address_id", homes, "entity_id", .03, .4).word("address_type", "billing", "shipping")
	orders.refer("billing_address_id", addresses, "entity_id", 0, 0).refer("shipping_address_id", addresses, "entity_id", 0, .1)
	w.table("mage", "sales_invoice", 950).key("entity_id").code("increment_id", "", 9, 1).to("order_id", orders, "entity_id")
	return w
}

// crm is an export of a CRM in the cloud: ids of 18 characters, owners everywhere,
// and columns that refer to one of two tables.
func crm(seed uint64) *Warehouse {
	w := newWarehouse("CRM export", seed)
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	ids := func(name, prefix string, rows int) *Table {
		return w.table("sfdc", name, rows).random("Id", prefix+"5g00000", letters, "xxxxxxxx")
	}
	profiles := ids("Profile", "00e", 8).code("Name", "Profile ", 1, 1)
	users := ids("User", "005", 70).to("ProfileId", profiles, "Id").code("Username", "user", 3, 1).word("IsActive", "true", "false")
	users.few("ManagerId", users, "Id", 9, .2)
	owned := func(t *Table) *Table {
		return t.skewed("OwnerId", users, "Id", 0).skewed("CreatedById", users, "Id", 0).few("LastModifiedById", users, "Id", 6, 0).day("CreatedDate")
	}
	accounts := owned(ids("Account", "001", 600)).word("Industry", "Retail", "Energy").number("NumberOfEmployees", 1, 5000)
	accounts.refer("ParentId", accounts, "Id", 0, .85)
	contacts := owned(ids("Contact", "003", 1300)).refer("AccountId", accounts, "Id", 0, .05).code("Email", "contact", 4, 1)
	contacts.refer("ReportsToId", contacts, "Id", 0, .9)
	campaigns := owned(ids("Campaign", "701", 40)).number("NumberSent", 0, 9000)
	products := ids("Product2", "01t", 110).code("ProductCode", "P", 4, 1)
	deals := owned(ids("Opportunity", "006", 1500)).to("AccountId", accounts, "Id").refer("CampaignId", campaigns, "Id", 0, .6).word("StageName", "Won", "Lost", "Open").amount("Amount")
	ids("OpportunityLineItem", "00k", 2600).to("OpportunityId", deals, "Id").skewed("Product2Id", products, "Id", 0).number("Quantity", 1, 40)
	leads := owned(ids("Lead", "00Q", 900)).refer("ConvertedAccountId", accounts, "Id", .01, .7).refer("ConvertedContactId", contacts, "Id", .01, .7).refer("ConvertedOpportunityId", deals, "Id", 0, .85)
	owned(ids("Case", "500", 1100)).code("CaseNumber", "", 8, 1001).to("AccountId", accounts, "Id").refer("ContactId", contacts, "Id", .02, .1).word("Priority", "High", "Low")
	owned(ids("Task", "00T", 2400)).either("WhoId", contacts, leads, "Id", .3).either("WhatId", deals, accounts, "Id", .3).word("Status", "Done", "Open")
	ids("CampaignMember", "00v", 1700).to("CampaignId", campaigns, "Id").refer("ContactId", contacts, "Id", 0, .4)
	return w
}

// issues is an issue tracker: numbers from 10000 on in every table, numbers kept as
// text, and people by the text of their key.
func issues(seed uint64) *Warehouse {
	w := newWarehouse("issue tracker", seed)
	text := func(name string, rows, from int) *Table {
		return w.table("jira", name, rows).code("ID", "", 1, from).code("pname", name+" ", 2, 1).number("SEQUENCE", 1, rows)
	}
	directory := w.table("jira", "cwd_directory", 2).key("ID").names("directory_name", "internal", "ldap")
	logins := w.table("jira", "cwd_user", 220).from("ID", 10000).to("directory_id", directory, "ID").code("user_name", "Person", 3, 1).code("lower_user_name", "person", 3, 1).number("active", 0, 1)
	users := w.table("jira", "app_user", 220).from("ID", 10100).code("user_key", "JIRAUSER", 5, 10100).shuffledRefer("lower_user_name", logins, "lower_user_name")
	logins.open("lower_user_name", users, "lower_user_name")
	projects := w.table("jira", "project", 24).from("ID", 10000).code("pkey", "PRJ", 2, 1).to("LEAD", users, "user_key").number("pcounter", 20, 300)
	types, priorities, resolutions, states := text("issuetype", 9, 10000), text("priority", 5, 1), text("resolution", 6, 10000), text("issuestatus", 12, 10000)
	all := w.table("jira", "jiraissue", 2600).from("ID", 10000).number("issuenum", 1, 300).to("PROJECT", projects, "ID").
		skewed("REPORTER", users, "user_key", 0).skewed("ASSIGNEE", users, "user_key", .3).skewed("CREATOR", users, "user_key", 0).
		to("issuetype", types, "ID").to("PRIORITY", priorities, "ID").refer("RESOLUTION", resolutions, "ID", 0, .5).to("issuestatus", states, "ID").
		number("VOTES", 0, 9).number("WATCHES", 0, 20).number("TIMESPENT", 60, 30000)
	for _, name := range []string{"jiraaction", "worklog", "fileattachment"} {
		w.table("jira", name, 1500).from("ID", 10000).to("issueid", all, "ID").refer("AUTHOR", users, "user_key", .01, .02).day("CREATED")
	}
	groups := w.table("jira", "changegroup", 2500).from("ID", 10000).to("issueid", all, "ID").skewed("AUTHOR", users, "user_key", 0)
	w.table("jira", "changeitem", 4000).from("ID", 10000).to("groupid", groups, "ID").word("FIELD", "status", "assignee", "Fix Version").number("OLDVALUE", 10000, 10012)
	components := w.table("jira", "component", 90).from("ID", 10000).to("PROJECT", projects, "ID").refer("LEAD", users, "user_key", 0, .4)
	w.table("jira", "projectversion", 120).from("ID", 10000).to("PROJECT", projects, "ID").number("SEQUENCE", 1, 20)
	kinds := w.table("jira", "issuelinktype", 6).from("ID", 10000).code("LINKNAME", "link ", 1, 1)
	w.table("jira", "issuelink", 700).from("ID", 10000).to("LINKTYPE", kinds, "ID").to("SOURCE", all, "ID").to("DESTINATION", all, "ID").number("SEQUENCE", 0, 12)
	w.table("jira", "nodeassociation", 1800).to("SOURCE_NODE_ID", all, "ID").to("SINK_NODE_ID", components, "ID").word("SINK_NODE_ENTITY", "Component")
	return w
}

// erp is an ERP product: keys called id, columns named for what the other table is
// in another word, and two users in every row.
func erp(seed uint64) *Warehouse {
	w := newWarehouse("ERP", seed)
	users := w.table("odoo", "res_users", 45).key("id").code("login", "user", 2, 1)
	users.few("create_uid", users, "id", 2, 0).few("write_uid", users, "id", 3, 0)
	model := func(name string, rows int) *Table {
		return w.table("odoo", name, rows).key("id").few("create_uid", users, "id", min(12, 2+rows/50), .01).few("write_uid", users, "id", min(15, 3+rows/50), .01).day("create_date")
	}
	currencies := model("res_currency", 30).random("name", "", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "xxx")
	companies := model("res_company", 3).to("currency_id", currencies, "id")
	countries := model("res_country", 200).few("currency_id", currencies, "id", 20, 0).number("phone_code", 1, 998)
	states := model("res_country_state", 400).few("country_id", countries, "id", 25, 0)
	partners := model("res_partner", 900).few("country_id", countries, "id", 14, .1).few("state_id", states, "id", 40, .6).few("user_id", users, "id", 8, .7).to("company_id", companies, "id").number("color", 0, 11)
	partners.refer("parent_id", partners, "id", 0, .6).refer("commercial_partner_id", partners, "id", 0, 0)
	users.shuffledRefer("partner_id", partners, "id").to("company_id", companies, "id")
	units := model("uom_category", 5)
	measures := model("uom_uom", 18).to("category_id", units, "id").number("factor", 1, 12)
	families := model("product_category", 25)
	families.refer("parent_id", families, "id", 0, .1)
	templates := model("product_template", 300).to("categ_id", families, "id").few("uom_id", measures, "id", 5, 0).few("uom_po_id", measures, "id", 5, 0).number("sequence", 1, 20)
	products := model("product_product", 380).to("product_tmpl_id", templates, "id").code("default_code", "ART", 4, 1)
	prices := model("product_pricelist", 7).few("currency_id", currencies, "id", 3, 0)
	teams := model("crm_team", 4).few("user_id", users, "id", 4, 0)
	orders := model("sale_order", 1300).skewed("partner_id", partners, "id", 0).skewed("partner_invoice_id", partners, "id", 0).skewed("partner_shipping_id", partners, "id", 0).
		few("user_id", users, "id", 8, .1).to("company_id", companies, "id").to("pricelist_id", prices, "id").to("team_id", teams, "id").code("name", "S", 5, 1)
	model("sale_order_line", 3000).to("order_id", orders, "id").skewed("product_id", products, "id", .02).few("product_uom", measures, "id", 5, 0).
		few("salesman_id", users, "id", 8, .1).skewed("order_partner_id", partners, "id", 0).number("sequence", 1, 20).number("customer_lead", 0, 14)
	journals := model("account_journal", 9).to("company_id", companies, "id")
	ledger := model("account_account", 150).code("code", "", 6, 101000).to("company_id", companies, "id")
	moves := model("account_move", 1500).to("journal_id", journals, "id").skewed("partner_id", partners, "id", .1).to("company_id", companies, "id").few("currency_id", currencies, "id", 3, 0).
		code("name", "INV/2024/", 5, 1)
	moves.refer("reversed_entry_id", moves, "id", 0, .95)
	model("account_move_line", 4000).to("move_id", moves, "id").few("account_id", ledger, "id", 35, 0).skewed("partner_id", partners, "id", .2).refer("product_id", products, "id", 0, .5).amount("debit")
	places := model("stock_location", 22)
	places.refer("location_id", places, "id", 0, .1)
	pickings := model("stock_picking", 1100).refer("sale_id", orders, "id", 0, .2).few("location_id", places, "id", 6, 0).few("location_dest_id", places, "id", 6, 0)
	model("stock_move", 2200).refer("picking_id", pickings, "id", 0, .05).skewed("product_id", products, "id", 0).few("location_id", places, "id", 10, 0).few("location_dest_id", places, "id", 10, 0).number("product_qty", 1, 60)
	return w
}

// freight knows things by the codes of their trades: airports, countries, carriers.
func freight(seed uint64) *Warehouse {
	w := newWarehouse("air freight by codes", seed)
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	currencies := w.table("ref", "currencies", 40).random("code", "", letters, "xxx").number("minor_units", 0, 3)
	countries := w.table("ref", "countries", 120).random("iso2", "", letters, "xx").random("iso3", "", letters, "xxx").number("numeric_code", 4, 894).few("currency", currencies, "code", 30, 0)
	airports := w.table("ref", "airports", 450).random("iata_code", "", letters, "xxx").random("icao_code", "", letters, "xxxx").skewed("country_code", countries, "iso2", 0).number("elevation_ft", 1, 9000)
	carriers := w.table("ref", "carriers", 60).random("carrier_code", "", letters+"0123456789", "xx").random("prefix", "", "0123456789", "xxx").few("home_country", countries, "iso2", 25, 0).few("hub", airports, "iata_code", 30, .1)
	models := w.table("ref", "aircraft_types", 35).random("icao_type", "", letters+"0123456789", "xxxx").number("max_payload_t", 2, 140)
	fleet := w.table("ops", "aircraft", 300).random("registration", "D-", letters, "xxxx").to("type_code", models, "icao_type").to("operator", carriers, "carrier_code").number("built", 1990, 2023)
	w.table("ops", "routes", 800).from("route_id", 501).to("carrier", carriers, "carrier_code").skewed("orig", airports, "iata_code", 0).skewed("dest", airports, "iata_code", 0).number("distance_km", 150, 14000)
	flights := w.table("ops", "flights", 2500).from("flight_id", 880001).to("carrier_cd", carriers, "carrier_code").number("flight_no", 1, 9999).skewed("dep_stn", airports, "iata_code", 0).skewed("arr_stn", airports, "iata_code", 0).
		refer("alt_stn", airports, "iata_code", .01, .8).refer("tail_no", fleet, "registration", 0, .05).day("flight_date")
	parties := w.table("sales", "parties", 500).key("party_id").few("country", countries, "iso2", 40, .02).word("role", "shipper", "consignee", "agent")
	bills := w.table("sales", "shipments", 1600).code("awb_no", "", 8, 30114500).to("awb_prefix", carriers, "prefix").to("shipper_id", parties, "party_id").to("consignee_id", parties, "party_id").few("agent_id", parties, "party_id", 20, .4).
		skewed("origin", airports, "iata_code", 0).skewed("destination", airports, "iata_code", 0).few("charges_ccy", currencies, "code", 9, 0).number("pieces", 1, 60)
	w.table("ops", "shipment_legs", 3400).to("awb_no", bills, "awb_no").number("leg_no", 1, 3).refer("flight_id", flights, "flight_id", .01, .05).skewed("board_point", airports, "iata_code", 0).skewed("off_point", airports, "iata_code", 0)
	w.table("ops", "scan_events", 4000).key("event_no").refer("awb", bills, "awb_no", .02, 0).skewed("station", airports, "iata_code", 0).word("status", "RCS", "DEP", "ARR", "DLV")
	w.table("sales", "customs_declarations", 900).key("decl_id").to("awb_no", bills, "awb_no").few("country_of_origin", countries, "iso3", 30, 0).few("destination_country", countries, "iso3", 30, 0).number("hs_chapter", 1, 97)
	return w
}

// vault is a data vault: hubs, links and satellites, which hashes hold together.
func vault(seed uint64) *Warehouse {
	w := newWarehouse("data vault", seed)
	loaded := func(t *Table) *Table { return t.day("load_dts").word("record_source", "CRM", "SHOP", "ERP") }
	hub := func(name string, rows, first int) *Table {
		return loaded(w.table("rdv", "hub_"+name, rows).hashes(name+"_hk").code(name+"_bk", strings.ToUpper(name[:1]), 6, first))
	}
	customers, orders, products, stores := hub("customer", 700, 1), hub("order", 1800, 500001), hub("product", 260, 7001), hub("store", 30, 1)
	link := func(name string, rows int) *Table {
		return loaded(w.table("rdv", "lnk_"+name, rows).hashes(name + "_hk"))
	}
	placed := link("order_customer", 1800).shuffledRefer("order_hk", orders, "order_hk").to("customer_hk", customers, "customer_hk")
	lines := link("order_product", 4000).to("order_hk", orders, "order_hk").skewed("product_hk", products, "product_hk", 0)
	sold := link("order_store", 1500).shuffledRefer("order_hk", orders, "order_hk").to("store_hk", stores, "store_hk")
	// Each order has one customer, so that whatever refers to an order refers to that as well.
	orders.open("order_hk", placed, "order_hk")
	lines.open("order_hk", placed, "order_hk")
	sold.open("order_hk", placed, "order_hk")
	same := link("customer_same_as", 60)
	same.to("master_customer_hk", customers, "customer_hk").to("duplicate_customer_hk", customers, "customer_hk")
	satellite := func(name string, rows int, of *Table, key string) *Table {
		return loaded(w.table("rdv", "sat_"+name, rows).to(key, of, key).random("hash_diff", "", hex, strings.Repeat("x", 32)))
	}
	satellite("customer_crm", 1500, customers, "customer_hk").word("segment", "A", "B").number("age", 18, 90)
	satellite("customer_web", 500, customers, "customer_hk").number("logins", 1, 200)
	state := satellite("order_status", 3200, orders, "order_hk").word("status", "open", "paid", "sent")
	satellite("order_product", 4000, lines, "order_product_hk").number("quantity", 1, 20).amount("price")
	satellite("order_customer", 1800, placed, "order_customer_hk").number("valid", 0, 1)
	state.open("order_hk", placed, "order_hk")
	facts := loaded(w.table("rdv", "sat_product", 260).shuffledRefer("product_hk", products, "product_hk").hashes("hash_diff")).amount("list_price")
	products.open("product_hk", facts, "product_hk")
	lines.open("product_hk", facts, "product_hk")
	w.table("bdv", "pit_customer", 2800).to("customer_hk", customers, "customer_hk").day("snapshot_date").day("sat_customer_crm_ldts")
	bridge := w.table("bdv", "bridge_sales", 3500).to("order_hk", orders, "order_hk").to("customer_hk", customers, "customer_hk").to("product_hk", products, "product_hk").refer("store_hk", stores, "store_hk", 0, .3)
	bridge.open("order_hk", placed, "order_hk")
	bridge.open("product_hk", facts, "product_hk")
	dim := w.table("mart", "dim_customer", 700).shuffledRefer("customer_hk", customers, "customer_hk").key("customer_sk").word("segment", "A", "B")
	for _, t := range w.Tables {
		for _, c := range t.Columns {
			if strings.HasSuffix(c.Name, "customer_hk") && t != dim {
				t.open(c.Name, dim, "customer_hk")
			}
		}
	}
	totals := w.table("mart", "fct_order", 1800).shuffledRefer("order_bk", orders, "order_bk").to("customer_sk", dim, "customer_sk").number("line_count", 1, 12).amount("total")
	orders.open("order_bk", totals, "order_bk")
	return w
}

// frenchAndSpanish has a trader with French names and the staff of its owner with
// Spanish ones: what a key is comes first in a name, and who heads what is in words.
func frenchAndSpanish(seed uint64) *Warehouse {
	w := newWarehouse("French and Spanish names", seed)
	regions := w.table("gestion", "regions", 13).key("id_region").code("libelle", "Région ", 2, 1)
	departements := w.table("gestion", "departements", 96).code("code_dept", "", 2, 1).to("id_region", regions, "id_region")
	communes := w.table("gestion", "communes", 600).code("code_insee", "", 5, 31001).to("code_dept", departements, "code_dept").number("population", 100, 90000)
	employes := w.table("gestion", "employes", 50).key("matricule").word("fonction", "vendeur", "chef")
	employes.few("id_responsable", employes, "matricule", 6, .1)
	clients := w.table("gestion", "clients", 750).key("id_client").refer("commune", communes, "code_insee", .01, .05).few("id_commercial", employes, "matricule", 12, .1).number("remise", 0, 30)
	familles := w.table("gestion", "familles", 18).key("id_famille").code("libelle", "Famille ", 2, 1)
	familles.refer("id_famille_mere", familles, "id_famille", 0, .4)
	fournisseurs := w.table("gestion", "fournisseurs", 70).key("id_fournisseur").few("commune", communes, "code_insee", 60, 0)
	articles := w.table("gestion", "articles", 320).code("reference", "A", 5, 10001).to("id_famille", familles, "id_famille").to("id_fournisseur", fournisseurs, "id_fournisseur").amount("prix_ht").number("stock", 1, 60)
	commandes := w.table("gestion", "commandes", 1700).from("num_commande", 24001).to("id_client", clients, "id_client").few("id_vendeur", employes, "matricule", 12, 0).day("date_commande").word("etat", "payée", "en cours")
	w.table("gestion", "lignes_commande", 4000).to("num_commande", commandes, "num_commande").number("num_ligne", 1, 12).skewed("ref_article", articles, "reference", 0).number("quantite", 1, 40)
	factures := w.table("gestion", "factures", 1500).from("num_facture", 9001).shuffledRefer("num_commande", commandes, "num_commande").amount("montant_ttc")
	w.table("gestion", "reglements", 1600).key("id_reglement").to("facture", factures, "num_facture").word("mode", "CB", "virement").number("echeance", 1, 3)

	sedes := w.table("personal", "sedes", 9).key("id_sede").word("ciudad", "Sevilla", "Bilbao")
	puestos := w.table("personal", "puestos", 22).code("cod_puesto", "P", 3, 1).number("nivel", 1, 9)
	empleados := w.table("personal", "empleados", 420).from("num_empleado", 1001).to("puesto", puestos, "cod_puesto").to("id_sede", sedes, "id_sede").number("edad", 18, 66).number("hijos", 0, 4)
	empleados.few("num_jefe", empleados, "num_empleado", 40, .03)
	departamentos := w.table("personal", "departamentos", 28).key("id_departamento").to("jefe", empleados, "num_empleado").to("sede", sedes, "id_sede").number("plantilla", 3, 40)
	departamentos.refer("id_padre", departamentos, "id_departamento", 0, .2)
	empleados.to("id_departamento", departamentos, "id_departamento")
	w.table("personal", "ausencias", 1300).key("id_ausencia").to("empleado", empleados, "num_empleado").few("aprobado_por", empleados, "num_empleado", 45, .1).number("dias", 1, 28).word("tipo", "vacaciones", "baja")
	periodos := w.table("personal", "periodos", 24).from("periodo", 202301).number("dias_habiles", 18, 23)
	w.table("personal", "nominas", 3500).key("id_nomina").to("num_empleado", empleados, "num_empleado").to("periodo", periodos, "periodo").amount("bruto").number("horas_extra", 0, 24)
	cursos := w.table("personal", "cursos", 45).code("codigo_curso", "FORM-", 3, 1).number("horas", 4, 60).number("plazas", 8, 30)
	w.table("personal", "inscripciones", 1100).key("id").to("curso", cursos, "codigo_curso").to("alumno", empleados, "num_empleado").few("profesor", empleados, "num_empleado", 15, 0).number("nota", 1, 10)
	return w
}

// bank has the numbers that people know: of customers, accounts, cards and loans;
// boxes are numbered in each branch.
func bank(seed uint64) *Warehouse {
	w := newWarehouse("bank", seed)
	branches := w.table("core", "t_branch", 30).code("branch_cd", "", 4, 101).number("staff", 3, 40)
	officers := w.table("core", "t_officer", 110).code("officer_no", "U", 5, 20001).to("branch_cd", branches, "branch_cd")
	branches.few("manager", officers, "officer_no", 30, 0)
	kinds := w.table("core", "t_prod_type", 12).code("prod_cd", "", 3, 201).word("family", "giro", "savings", "loan")
	customers := w.table("core", "t_cust", 900).code("cif_no", "", 9, 100200300).to("home_branch", branches, "branch_cd").skewed("rm_officer", officers, "officer_no", .2).number("risk_class", 1, 5).number("kyc_status", 1, 3)
	customers.refer("spouse_cif", customers, "cif_no", 0, .8)
	accounts := w.table("core", "t_acct", 1400).code("acct_no", "", 10, 4711000100).to("cif_no", customers, "cif_no").to("prod_cd", kinds, "prod_cd").to("branch_cd", branches, "branch_cd").random("iban", "DE", "0123456789", "xxxxxxxxxxxxxxxxxxxx").amount("balance")
	w.table("core", "t_acct_holder", 1700).to("acct_no", accounts, "acct_no").to("cif_no", customers, "cif_no").number("holder_seq", 1, 3)
	cards := w.table("card", "t_card", 1000).random("card_no", "4556", "0123456789", "xxxxxxxxxxxx").to("settle_acct", accounts, "acct_no").to("cardholder", customers, "cif_no").number("expiry_month", 1, 12)
	shops := w.table("card", "t_merchant", 200).code("merchant_id", "", 15, 880000001).number("mcc", 1000, 9999)
	w.table("card", "t_card_txn", 4000).from("auth_id", 700001).refer("card_no", cards, "card_no", .01, 0).skewed("merchant_id", shops, "merchant_id", 0).amount("amt").number("pos_mode", 1, 9)
	w.table("core", "t_transfer", 3000).from("txn_id", 5000001).to("debit_acct", accounts, "acct_no").refer("credit_acct", accounts, "acct_no", .02, .3).random("ext_iban", "FR", "0123456789", "xxxxxxxxxxxxxxxxxxxx").amount("amt").few("teller", officers, "officer_no", 40, .6)
	loans := w.table("loan", "t_loan", 400).code("loan_no", "L", 8, 30001).to("borrower_cif", customers, "cif_no").refer("guarantor_cif", customers, "cif_no", 0, .7).to("repay_acct", accounts, "acct_no").to("prod_cd", kinds, "prod_cd").number("term_months", 12, 120)
	w.table("loan", "t_loan_sched", 3500).to("loan_no", loans, "loan_no").number("instal_no", 1, 120).amount("principal")
	w.table("loan", "t_collateral", 260).key("coll_id").to("loan_no", loans, "loan_no").to("owner_cif", customers, "cif_no").number("lien_rank", 1, 3)
	ledger := w.table("gl", "t_gl_acct", 85).from("gl_cd", 1000).word("side", "D", "C")
	ledger.refer("parent_gl", ledger, "gl_cd", 0, .1)
	w.table("gl", "t_gl_entry", 4000).key("entry_id").number("line_no", 1, 8).to("gl_cd", ledger, "gl_cd").to("cost_branch", branches, "branch_cd").amount("amt")
	boxes := w.table("core", "t_box", 600).column("branch_cd", sdk.TypeText, func(row int) string { return branches.get("branch_cd").Values[row/20] }).
		column("box_no", sdk.TypeInt64, func(row int) string { return strconv.Itoa(row%20 + 1) }).word("size", "S", "M", "L")
	w.References = append(w.References, boxes.link("branch_cd", branches, "branch_cd"))
	rents := w.table("core", "t_box_rent", 800).key("rent_id").to("cif_no", customers, "cif_no").pair([2]string{"branch_cd", "box_no"}, boxes)
	w.References = append(w.References, rents.link("branch_cd", branches, "branch_cd"))
	return w
}

// tracking has what an app tells of its visitors, who are anonymous first: keys are
// UUIDs as text, called id.
func tracking(seed uint64) *Warehouse {
	w := newWarehouse("event tracking", seed)
	plans := w.table("app", "plans", 5).names("slug", "free", "starter", "team", "business", "enterprise").number("seats", 1, 100)
	teams := w.table("app", "organizations", 90).uuids("id").to("plan", plans, "slug").day("created_at")
	users := w.table("app", "users", 600).uuids("id").to("organization_id", teams, "id").code("email", "person", 4, 1).number("login_count", 0, 200)
	users.refer("invited_by", users, "id", 0, .5)
	teams.refer("owner_id", users, "id", 0, .02)
	projects := w.table("app", "projects", 300).uuids("id").to("organization_id", teams, "id").to("created_by", users, "id")
	documents := w.table("app", "documents", 1300).uuids("id").skewed("project_id", projects, "id", 0).skewed("author_id", users, "id", 0).skewed("last_editor_id", users, "id", .3).number("version", 1, 30)
	documents.refer("parent_id", documents, "id", 0, .7)
	notes := w.table("app", "comments", 1500).uuids("id").skewed("document_id", documents, "id", 0).skewed("user_id", users, "id", 0)
	w.table("app", "attachments", 700).uuids("id").either("subject_id", documents, notes, "id", 0).word("subject_type", "Document", "Comment").skewed("uploaded_by", users, "id", 0).number("size", 1, 90000)
	// Who came is in no table of its own: the visitors that became users are in identifies.
	visitors := &Table{w: w, rows: 1500}
	visitors.uuids("anonymous_id")
	anonymous := func(t *Table) *Table {
		return t.column("anonymous_id", sdk.TypeText, func(int) string { return visitors.Columns[0].Values[w.rng.IntN(visitors.rows)] })
	}
	order := w.rng.Perm(visitors.rows)
	w.table("segment", "identifies", 500).uuids("id").column("anonymous_id", sdk.TypeText, func(row int) string { return visitors.Columns[0].Values[order[row]] }).refer("user_id", users, "id", .01, 0).day("received_at")
	sessions := anonymous(w.table("segment", "sessions", 2200).uuids("session_id")).refer("user_id", users, "id", .01, .5).number("page_count", 1, 30).word("utm_source", "google", "mail")
	for _, name := range []string{"pages", "tracks"} {
		anonymous(w.table("segment", name, 3500).uuids("id").uuids("message_id").to("session_id", sessions, "session_id").refer("user_id", users, "id", .01, .5)).
			word("name", "home", "pricing", "docs").number("seq", 1, 30)
	}
	tests := w.table("growth", "experiments", 14).names("key", strings.Fields("new_nav cta_color onboarding pricing_v2 dark_mode search_rank email_digest trial_len invite_flow empty_state checkout_v3 hero_copy referral ai_help")...).to("owner", users, "id")
	w.table("growth", "assignments", 2000).to("experiment", tests, "key").to("user_id", users, "id").word("variant", "control", "a", "b")
	w.table("growth", "feature_flags", 30).code("flag", "flag_", 2, 1).refer("experiment_key", tests, "key", 0, .5).number("rollout", 0, 100)
	w.table("billing", "invoices", 800).uuids("id").to("account", teams, "id").amount("total").to("plan_slug", plans, "slug")
	return w
}

// star is a star schema: a date plays several parts in each fact, dimensions refer
// to others, and measures are small whole numbers.
func star(seed uint64) *Warehouse {
	w := newWarehouse("star of many dates", seed)
	days := 0
	dates := w.table("dw", "DimDate", 336).column("DateKey", sdk.TypeInt64, func(int) string {
		days++
		return fmt.Sprintf("2024%02d%02d", 1+(days-1)/28, 1+(days-1)%28)
	}).number("CalendarQuarter", 1, 4).number("MonthNumberOfYear", 1, 12).number("FiscalYear", 2023, 2025)
	areas := w.table("dw", "DimSalesTerritory", 11).key("SalesTerritoryKey").code("SalesTerritoryAlternateKey", "T", 2, 0)
	places := w.table("dw", "DimGeography", 350).key("GeographyKey").to("SalesTerritoryKey", areas, "SalesTerritoryKey")
	groups := w.table("dw", "DimProductCategory", 5).key("ProductCategoryKey")
	families := w.table("dw", "DimProductSubcategory", 37).key("ProductSubcategoryKey").to("ProductCategoryKey", groups, "ProductCategoryKey")
	products := w.table("dw", "DimProduct", 400).key("ProductKey").code("ProductAlternateKey", "BK-", 5, 1000).refer("ProductSubcategoryKey", families, "ProductSubcategoryKey", 0, .2).number("DaysToManufacture", 0, 4).number("SafetyStockLevel", 1, 1000)
	customers := w.table("dw", "DimCustomer", 1200).from("CustomerKey", 11000).to("GeographyKey", places, "GeographyKey").code("CustomerAlternateKey", "AW", 8, 11000).number("TotalChildren", 0, 5).
		draw("DateFirstPurchase", dates, "DateKey", func() string { return dates.Columns[0].Values[w.rng.IntN(300)] })
	resellers := w.table("dw", "DimReseller", 300).key("ResellerKey").to("GeographyKey", places, "GeographyKey").number("NumberEmployees", 2, 100)
	staff := w.table("dw", "DimEmployee", 140).key("EmployeeKey").few("SalesTerritoryKey", areas, "SalesTerritoryKey", 10, 0).number("VacationHours", 0, 99)
	staff.few("ParentEmployeeKey", staff, "EmployeeKey", 30, .02)
	offers := w.table("dw", "DimPromotion", 16).key("PromotionKey").number("MinQty", 0, 60)
	currencies := w.table("dw", "DimCurrency", 100).key("CurrencyKey").code("CurrencyAlternateKey", "C", 2, 0)
	sales := func(t *Table) *Table {
		return t.skewed("ProductKey", products, "ProductKey", 0).to("OrderDateKey", dates, "DateKey").to("DueDateKey", dates, "DateKey").refer("ShipDateKey", dates, "DateKey", 0, .1).
			few("PromotionKey", offers, "PromotionKey", 8, 0).few("CurrencyKey", currencies, "CurrencyKey", 6, 0).to("SalesTerritoryKey", areas, "SalesTerritoryKey").
			number("SalesOrderLineNumber", 1, 8).number("RevisionNumber", 1, 3).number("OrderQuantity", 1, 40).amount("SalesAmount")
	}
	sales(w.table("dw", "FactInternetSales", 4000)).to("CustomerKey", customers, "CustomerKey").code("SalesOrderNumber", "SO", 6, 43000)
	sales(w.table("dw", "FactResellerSales", 3000)).to("ResellerKey", resellers, "ResellerKey").few("EmployeeKey", staff, "EmployeeKey", 17, 0).code("SalesOrderNumber", "SO", 6, 70000)
	w.table("dw", "FactProductInventory", 4000).to("ProductKey", products, "ProductKey").to("DateKey", dates, "DateKey").number("UnitsIn", 0, 90).number("UnitsOut", 0, 90).number("UnitsBalance", 1, 400)
	w.table("dw", "FactSalesQuota", 160).key("SalesQuotaKey").few("EmployeeKey", staff, "EmployeeKey", 17, 0).to("DateKey", dates, "DateKey").number("CalendarQuarter", 1, 4)
	w.table("dw", "FactCurrencyRate", 1500).few("CurrencyKey", currencies, "CurrencyKey", 14, 0).to("DateKey", dates, "DateKey").amount("AverageRate")
	w.table("dw", "FactCallCenter", 120).key("FactCallCenterID").to("DateKey", dates, "DateKey").number("LevelOneOperators", 1, 20).number("Calls", 50, 400).number("IssuesRaised", 0, 6)
	return w
}

// telecom has the numbers from 1 on as the key of every table, and counts and ranks
// that are among all of them.
func telecom(seed uint64) *Warehouse {
	w := newWarehouse("telecom of dense ids", seed)
	tariffs := w.table("bss", "tbl_tariff", 25).key("tariff_id").number("free_minutes", 0, 300).number("priority", 1, 9)
	dealers := w.table("bss", "tbl_dealer", 60).key("dealer_id").number("zone", 1, 8)
	subscribers := w.table("bss", "tbl_subscriber", 1500).key("subs_id").refer("dealer", dealers, "dealer_id", 0, .1).number("loyalty_points", 1, 900).number("credit_class", 1, 6)
	subscribers.refer("referred_by", subscribers, "subs_id", 0, .85)
	contracts := w.table("bss", "tbl_contract", 1900).key("contract_id").to("subs_id", subscribers, "subs_id").skewed("tariff_id", tariffs, "tariff_id", 0).refer("prev_tariff", tariffs, "tariff_id", 0, .6).number("term_months", 1, 24).number("bill_day", 1, 28)
	cards := w.table("bss", "tbl_sim", 2200).key("sim_id").refer("contract_id", contracts, "contract_id", .02, .1).random("iccid", "8949", "0123456789", "xxxxxxxxxxxxxxx").number("pin_tries", 0, 3)
	handsets := w.table("bss", "tbl_handset_model", 130).key("model_id").number("bands", 1, 20)
	w.table("bss", "tbl_device", 1700).key("device_id").to("model_id", handsets, "model_id").refer("sim_id", cards, "sim_id", 0, .2).number("sw_version", 1, 25)
	sites := w.table("oss", "tbl_site", 200).key("site_id").number("height_m", 8, 60).number("sectors", 1, 3)
	vendors := w.table("oss", "tbl_vendor", 4).key("vendor_id").names("vendor", "North", "South", "East", "West")
	cells := w.table("oss", "tbl_cell", 640).key("cell_id").to("site_id", sites, "site_id").to("vendor_id", vendors, "vendor_id").number("pci", 0, 503).number("azimuth", 0, 359).number("sector_no", 1, 3)
	w.table("oss", "tbl_neighbour", 2500).to("src_cell", cells, "cell_id").to("dst_cell", cells, "cell_id").number("ho_attempts", 1, 500).number("rank_no", 1, 16)
	w.table("rating", "tbl_cdr", 5000).key("cdr_id").skewed("a_subs", subscribers, "subs_id", 0).skewed("b_subs", subscribers, "subs_id", .5).skewed("first_cell", cells, "cell_id", 0).skewed("last_cell", cells, "cell_id", 0).
		number("duration_s", 1, 1500).number("tariff_step", 1, 4).number("cause_code", 1, 20)
	bills := w.table("bss", "tbl_bill", 3000).key("bill_id").to("contract_id", contracts, "contract_id").number("bill_seq", 1, 36).amount("total")
	w.table("bss", "tbl_bill_item", 4500).key("item_id").to("bill_id", bills, "bill_id").refer("tariff_id", tariffs, "tariff_id", 0, .3).number("item_no", 1, 9).number("units", 1, 600)
	staff := w.table("crm", "tbl_agent", 80).key("agent_id").number("team", 1, 7)
	staff.few("lead_agent", staff, "agent_id", 7, .1)
	w.table("crm", "tbl_ticket", 1200).key("ticket_id").skewed("subs", subscribers, "subs_id", 0).to("opened_by", staff, "agent_id").refer("closed_by", staff, "agent_id", 0, .3).refer("cell", cells, "cell_id", 0, .7).number("severity", 1, 4).number("reopen_cnt", 0, 5)
	w.table("oss", "tbl_alarm", 2000).key("alarm_id").refer("ne_id", cells, "cell_id", .02, 0).number("alarm_code", 1, 130).refer("ack_by", staff, "agent_id", 0, .4)
	w.table("oss", "tbl_kpi_hour", 4000).to("cell_id", cells, "cell_id").number("hour", 0, 23).number("users_max", 1, 200).number("drops", 0, 25).number("ho_fail", 0, 60)
	return w
}
