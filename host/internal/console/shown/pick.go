package shown

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
)

// Pick names a change as a person saw it, for a decision.
type Pick struct {
	ID      string
	Version int64
	// Base is the hash of its file that was shown, "" = none was.
	Base string
}

// String returns the value of a form's field, which PickOf reads.
func (p Pick) String() string {
	text := p.ID + "." + strconv.FormatInt(p.Version, 10)
	if p.Base != "" {
		text += "." + p.Base
	}
	return text
}

// PickOf reads the value of a form's field; false = it is none.
func PickOf(text string) (p Pick, ok bool) {
	parts := strings.SplitN(text, ".", 3)
	if len(parts) < 2 || parts[0] == "" {
		return p, false
	}
	version, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || version < 1 {
		return p, false
	}
	p = Pick{ID: parts[0], Version: version}
	if len(parts) > 2 {
		p.Base = parts[2]
	}
	return p, true
}

// Approval returns the form that approves a change as it was seen, and leads back to an address; nil for a change that
// does not wait, or that contradicts something: its own page shows both sides.
func Approval(p Pick, state change.State, disputed bool, back string) *page.Form {
	if disputed || state != change.Pending && state != change.Draft {
		return nil
	}
	return &page.Form{Do: "approve", Label: "Approve", Fields: url.Values{"pick": {p.String()}, "back": {back}}}
}
