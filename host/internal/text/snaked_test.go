package text

import "testing"

func TestSnaked(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "", "routeKm": "route_km", "GMV": "gmv", "netGMVShare": "net_gmvshare", "top10Values": "top10values", "ÄrgerTage": "Ärger_tage"} {
		if got := Snaked(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
