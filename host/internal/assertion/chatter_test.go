package assertion

import "testing"

func TestChatter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"did we ever find out why refunds went up in june?":           true,
		"deploy is done, dashboards are green again":                  true,
		"Kannst du mir bitte die Zahlen für Oktober schicken? Danke!": true,
		"Hallo zusammen! Der Import ist durch. Danke euch!":           true,
		"": false,
		"Refunds went up in June because of the recall.":                     false,
		"Orders are done when the parcel was handed over.":                   false,
		"What is GMV? GMV means gross merchandise value.":                    false,
		"Thanks! From now on prio 0 means outage.":                           false,
		"The dashboards are green again, and orders of tests are left out.":  false,
		"Die Tabelle orders_old ist kaputt, nehmt orders.":                   false,
		"```sql\nselect 1\n```":                                              false,
		"| term | meaning |\n|---|---|\n| GMV | gross merchandise value |\n": false,
	} {
		if got := Read(text, Options{Asked: true}).Chatter; got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
