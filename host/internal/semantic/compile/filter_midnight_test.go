package compile

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/request"
)

func TestMidnightIsTold(t *testing.T) {
	t.Parallel()
	m, d := marketModel(t)
	const told = "filters[0]: orders.created_at is compared with the first moment of 2024-05-31, as SQL does; for whole days use date_ranges or in_date_range"
	for filter, want := range map[string]string{
		"orders.created_at <= '2024-05-31'":                            told,
		"orders.created_at > DATE '2024-05-31'":                        told,
		"orders.created_at = '2024-05-31'":                             told,
		"orders.created_at BETWEEN '2024-05-01' AND '2024-05-31'":      told,
		"orders.id > 5 AND orders.created_at IN ('2024-05-31')":        told,
		"orders.created_at >= '2024-05-01'":                            "",
		"orders.created_at < '2024-06-01'":                             "",
		"orders.created_at <= '2024-05-31 23:59:59'":                   "",
		"orders.due <= '2024-05-31'":                                   "",
		"orders.due BETWEEN '2024-05-01' AND '2024-05-31'":             "",
		"orders.status > '2024-05-31' AND orders.created_at IS NULL":   "",
		"orders.created_at BETWEEN '2024-05-01' AND orders.created_at": "",
	} {
		text, err := json.Marshal(filter)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := request.Normalise(json.RawMessage(`{"measures": ["orders.order_count"], "filters": [` + string(text) + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		q, err := Compile(m, d, r, Options{})
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		if got := strings.Join(q.Notes, "\n"); got != want {
			t.Errorf("%s: notes %q, want %q", filter, got, want)
		}
	}
}
