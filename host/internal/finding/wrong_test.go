package finding_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/connection"
)

// wrong are statements with a fault, the codes of their findings, and a text in them.
var wrong = []struct {
	connection connection.ID
	sql        string
	codes      string
	text       string
}{
	// Values that a column does not have.
	{"shop", "SELECT id FROM orders WHERE status = 'payed'", "value_not_found", "main.orders.status has no value 'payed'. The scan of 2026-03-15 found all 4 values of the column. Write 'paid'."},
	{"shop", "SELECT id FROM orders WHERE status = 'Paid'", "value_not_found", "Write 'paid'."},
	{"shop", "SELECT id FROM orders WHERE status IN ('paid', 'canceled')", "value_not_found", "Write 'cancelled'."},
	{"shop", "SELECT o.id FROM orders o WHERE o.status <> 'canceled' AND o.customer_id IS NULL", "value_not_found", "Write 'cancelled'."},
	{"shop", `SELECT "id" FROM "orders" WHERE "status" = 'refunded'`, "value_not_found", "Its values are"},
	{"shop", "SELECT ID FROM ORDERS WHERE STATUS = 'open'", "value_not_found", "has no value 'open'"},
	{"shop", "WITH o AS (SELECT id, status AS st FROM orders) SELECT id FROM o WHERE st = 'complete'", "value_not_found", "orders.status has no value 'complete'"},
	{"shop", "SELECT c.id FROM (SELECT * FROM customers) c WHERE c.segment = 'enterprise'", "value_not_found", "customers.segment"},
	{"shop", "SELECT id, CASE WHEN currency = 'USD' THEN 1 ELSE 0 END AS us FROM orders", "value_not_found", "orders.currency has no value 'USD'"},
	{"shop", "SELECT o.id FROM orders o JOIN regions r ON r.id = o.ship_region_id WHERE r.country_code = 'UK'", "value_not_found", "regions.country_code has no value 'UK'"},
	{"shop", "SELECT id FROM refunds WHERE reason = 'broken' OR reason = 'late'", "value_not_found", "'broken'"},
	{"shop", "SELECT pt.product_id FROM product_tags pt JOIN tags t ON t.id = pt.tag_id WHERE t.name = 'Gift'", "value_not_found", "Write 'gift'."},
	{"shop", "SELECT id FROM orders WHERE shipping_cents = 500", "value_not_found", "orders.shipping_cents has no value 500"},
	{"shop", "SELECT rate_to_eur FROM exchange_rates WHERE currency = 'usd'", "value_not_found", "exchange_rates.currency"},
	{"shop", "SELECT c.id FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status = 'shiped')", "value_not_found", "Write 'shipped'."},
	{"shop", "SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE segment = 'b2b')", "value_not_found", "has no value 'b2b'"},
	{"shop", "SELECT id FROM orders WHERE 'sent' = status", "value_not_found", "'sent'"},
	{"shop", "SELECT id FROM orders WHERE status = 'paid' UNION ALL SELECT id FROM orders WHERE status = 'void'", "value_not_found", "'void'"},
	{"shop", "SELECT id FROM regions WHERE name = 'Zurich'", "value_not_found", "'Zürich'"},
	{"crm", "SELECT ticket_id FROM ticket WHERE channel = 'email'", "value_not_found", "Write 'mail'."},
	{"shop", "SELECT id FROM products WHERE sku = 'SKU-999'", "value_not_found", "found all 120 values"},
	{"crm", "SELECT ticket_id FROM ticket WHERE subject = 'Refund'", "value_not_found", "ticket.subject"},
	{"crm", "SELECT ticket_id FROM ticket WHERE prio = 5", "value_not_found", "has no value 5"},
	{"crm", "SELECT sub_id FROM subscription WHERE plan_code = 'premium'", "value_not_found", "'premium'"},
	{"crm", "SELECT plan_name FROM plan WHERE billing_period = 'monthly'", "value_not_found", "'month'"},
	{"star", "SELECT customer_id FROM shop.customers WHERE country = 'Germany'", "value_not_found", "shop.customers.country"},
	{"german", "SELECT kunden_nr FROM vertrieb.kunden WHERE land = 'Österreich'", "value_not_found", "'AT'"},
	{"japanese", `SELECT "顧客ID" FROM "営業"."顧客" WHERE "都道府県" = '東京'`, "value_not_found", "'東京都'"},
	{"sap", `SELECT "VBELN" FROM "SAP"."VBAK" WHERE "AUART" = 'OR'`, "value_not_found", "'TA'"},
	// Literals of another type.
	{"shop", "SELECT id FROM orders WHERE customer_id = 'C-17'", "type_mismatch", "main.orders.customer_id is an integer, and 'C-17' is no number."},
	{"shop", "SELECT id FROM orders WHERE ordered_at = 2024", "type_mismatch", ">= '2024-01-01' AND < '2025-01-01'"},
	{"shop", "SELECT id FROM orders WHERE ordered_at >= '2025-02-30'", "type_mismatch", "'2025-02-30' is no date"},
	{"shop", "SELECT id FROM orders WHERE ordered_at > 'last month'", "type_mismatch", "no date"},
	{"shop", "SELECT id FROM products WHERE active = 'maybe'", "type_mismatch", "TRUE or FALSE"},
	{"shop", "SELECT order_id FROM order_items WHERE quantity = 'two'", "type_mismatch", "order_items.quantity"},
	{"shop", "SELECT id FROM products WHERE sku = 42", "type_mismatch", "Write '42'."},
	{"shop", "SELECT id FROM orders WHERE ordered_at BETWEEN '2024-01-01' AND '2024-06-31'", "type_mismatch", "'2024-06-31'"},
	{"shop", "SELECT id FROM regions WHERE id IN (1, 'Bavaria')", "type_mismatch", "'Bavaria' is no number"},
	{"shop", "SELECT day FROM exchange_rates WHERE day = '2024-13-01' AND currency = 'EUR'", "type_mismatch", "exchange_rates.day"},
	{"german", "SELECT artikel_nr FROM vertrieb.artikel WHERE preis > 'teuer'", "type_mismatch", "a number, and 'teuer' is no number"},
	// Joins that nobody knows.
	{"shop", "SELECT c.segment FROM orders o JOIN customers c ON o.id = c.id", "join_not_known", "Join on main.orders.customer_id = main.customers.id."},
	{"shop", "SELECT segment FROM orders JOIN customers USING (id)", "join_not_known", "A foreign key of the warehouse connects the tables by other columns."},
	{"shop", "SELECT segment FROM orders NATURAL JOIN customers", "join_not_known", "main.orders.customer_id = main.customers.id"},
	{"shop", "SELECT i.quantity FROM order_items i JOIN orders o ON i.product_id = o.id", "join_not_known", "Join on main.order_items.order_id = main.orders.id."},
	{"shop", "SELECT i.quantity FROM order_items i JOIN products p ON i.order_id = p.id", "join_not_known", "Join on main.order_items.product_id = main.products.id."},
	{"shop", "SELECT c.name FROM products p JOIN categories c ON p.id = c.id", "join_not_known", "main.products.category_id = main.categories.id"},
	{"shop", "SELECT r.name FROM customers c, regions r WHERE c.id = r.id", "join_not_known", "main.customers.region_id = main.regions.id"},
	{"shop", "SELECT g.name FROM product_tags t JOIN tags g ON t.product_id = g.id", "join_not_known", "main.product_tags.tag_id = main.tags.id"},
	{"shop", "WITH c AS (SELECT id AS cid, segment FROM customers) SELECT c.segment FROM orders o LEFT JOIN c ON c.cid = o.id", "join_not_known", "main.orders.customer_id = main.customers.id"},
	{"shop", "SELECT p.sku FROM orders o JOIN products p ON p.id = o.customer_id", "join_not_known", "main.orders.customer_id refers to main.customers."},
	{"shop", `SELECT "C"."segment" FROM "orders" AS "O" JOIN "customers" AS "C" ON "O"."id" = "C"."id"`, "join_not_known", "main.orders.customer_id"},
	{"star", "SELECT c.country FROM shop.orders o JOIN shop.customers c ON o.order_id = c.customer_id", "join_not_known", "A relationship that the scan found"},
	{"star", "SELECT o.status FROM shop.order_items i JOIN shop.orders o ON i.product_id = o.order_id", "join_not_known", "shop.order_items.order_id = shop.orders.order_id"},
	{"star", "SELECT s.amount FROM wh.fact_sales s JOIN wh.dim_cust c ON s.prod_key = c.cust_key", "join_not_known", "wh.fact_sales.cust_key = wh.dim_cust.cust_key"},
	{"sap", `SELECT p."NETWR" FROM "SAP"."VBAP" p JOIN "SAP"."VBAK" k ON p."MATNR" = k."VBELN"`, "join_not_known", "VBELN"},
	{"german", "SELECT k.land FROM vertrieb.auftraege a JOIN vertrieb.kunden k ON a.auftrag_id = k.kunden_nr WHERE a.status = 'offen'", "join_not_known", "vertrieb.auftraege.kunden_nr = vertrieb.kunden.kunden_nr"},
	{"mixed", `SELECT c."Segment" FROM dbo."SalesOrder" o JOIN dbo."Customer" c ON o."SalesOrderID" = c."CustomerID"`, "join_not_known", "CustomerRef"},
	// Filters that most statements have.
	{"shop", "SELECT product_id, avg(price_cents) FROM product_prices GROUP BY product_id", "always_filtered", "6 of 7 recorded statements about the table have main.product_prices.valid_to IS NULL."},
	{"shop", "SELECT p.sku, c.price_cents FROM products p JOIN product_prices c ON c.product_id = p.id", "always_filtered", "valid_to IS NULL"},
	{"german", "SELECT kunden_nr FROM vertrieb.auftraege", "always_filtered", "5 of 6 recorded statements"},
	// Aggregates that are measures.
	{"shop", "SELECT count(*) FROM refunds", "metric_exists", `{"connection_id":"shop","measures":["refunds.refund_count"]}`},
	{"shop", "SELECT sum(amount_cents) / 100.0 AS refunded FROM refunds r WHERE r.reason = 'late'", "metric_exists", `"filters":["refunds.reason = 'late'"]`},
	{"shop", "SELECT currency, COUNT(DISTINCT customer_id) FROM orders WHERE status <> 'cancelled' GROUP BY currency", "metric_exists", `{"connection_id":"shop","measures":["orders.buyers"],"dimensions":["orders.currency"],"filters":["orders.status <> 'cancelled'"]}`},
	{"shop", "SELECT o.status, count(o.id) AS n FROM orders o WHERE 'cancelled' <> o.status AND o.shipping_cents > 0 GROUP BY 1", "metric_exists", `"dimensions":["orders.status"],"filters":["'cancelled' <> orders.status","orders.shipping_cents > 0"]`},
	{"crm", "SELECT count(*) FROM ticket WHERE closed_ts IS NULL", "metric_exists", `"measures":["ticket.open_tickets"]`},
	{"crm", "SELECT channel, count(*) FROM ticket GROUP BY channel", "metric_exists", `"measures":["ticket.tickets"],"dimensions":["ticket.channel"]`},
	{"shop", "SELECT sum(i.quantity) FROM order_items i JOIN orders o ON o.id = i.order_id WHERE o.status <> 'cancelled'", "metric_exists", `{"connection_id":"shop","measures":["order_items.units"]}`},
	{"shop", "SELECT o.currency, SUM(i.quantity * i.unit_price_cents - i.discount_cents) / 100.0 AS revenue FROM orders o JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE o.status <> 'cancelled' AND p.active GROUP BY o.currency", "metric_exists", `{"connection_id":"shop","measures":["order_items.revenue"],"dimensions":["orders.currency"],"filters":["orders.status <> 'cancelled'","products.active"]}`},
	{"shop", "SELECT c.segment, count(*) FROM orders o LEFT JOIN customers c ON c.id = o.customer_id WHERE o.status <> 'cancelled' GROUP BY c.segment", "metric_exists", `"measures":["orders.order_count"],"dimensions":["customers.segment"]`},
	// Several at once.
	{"shop", "SELECT c.segment FROM orders o JOIN customers c ON o.id = c.id WHERE o.status = 'payed' AND o.ordered_at > 2024", "join_not_known value_not_found type_mismatch", "Write 'paid'."},
}

// Wrong statements get the finding of their fault, and no other one.
func TestWrongStatements(t *testing.T) {
	p := open(t)
	if len(wrong) < 50 {
		t.Fatalf("%d statements", len(wrong))
	}
	for _, tt := range wrong {
		found := p.Of(t.Context(), tt.connection, tt.sql, nil)
		if codes(found) != tt.codes || !strings.Contains(texts(found), tt.text) {
			t.Errorf("%s: %s\n%s\nwant %s: %s", tt.connection, tt.sql, texts(found), tt.codes, tt.text)
		}
		for _, f := range found {
			if f.Position == nil || f.Position.Line < 1 || f.Position.Column < 1 || f.Message == "" || f.Evidence == "" || f.Suggestion == "" {
				t.Errorf("%s: incomplete: %+v", tt.sql, f)
			}
		}
	}
}
