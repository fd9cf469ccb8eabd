package history

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// The values of the parameter show; "" = both.
const (
	onlyCalls   = "calls"
	onlyReviews = "reviews"
)

// asked is what the parameters of an address ask for.
type asked struct {
	show   string
	since  string
	narrow bool // some rows are not chosen
	calls  store.CallFilter
	events store.EventFilter
	// at is where the page begins in each log.
	at cursor
}

// cursor is a place in both logs: the numbers below which they go on. 0 = from the last row.
type cursor struct{ calls, events int64 }

// over is the place behind the last row of a log: no row has a smaller number.
const over = 1

func (c cursor) String() string { return fmt.Sprintf("%d.%d", c.calls, c.events) }

// maxParam bounds the text of a filter, in bytes.
const maxParam = 200

// read reads the parameters of an address. A filter of calls or of reviews shows these alone.
// Errors: KindInvalid.
func read(r *page.Request) (*asked, error) {
	a := &asked{show: r.Param("show"), since: r.Param("since")}
	for name := range r.Query {
		if len(r.Param(name)) > maxParam {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the parameter %s has more than %d bytes", strconv.Quote(result.Short(name, maxShown)), maxParam).WithHint("clear the filter")
		}
	}
	a.calls = store.CallFilter{
		Tool: r.Param("tool"), Client: r.Param("client"), Principal: r.Param("principal"), Connection: r.Param("connection"), Outcome: r.Param("outcome"),
		Key: strings.ToUpper(r.Param("incident")),
	}
	a.events = store.EventFilter{Verb: r.Param("verb"), Actor: r.Param("actor"), Change: r.Param("change")}
	if a.since != "" {
		age, ok := project.ParseAge(a.since)
		if !ok || age <= 0 {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "since=%s is no age", a.since).WithHint("choose 1h, 24h, 7d or 30d")
		}
		a.calls.Since = r.Now.Add(-age)
		a.events.Since = a.calls.Since
	}
	if err := a.choose(); err != nil {
		return nil, err
	}
	return a, a.begin(r.Param("cursor"))
}

// choose sets show by the filters.
func (a *asked) choose() error {
	ofCalls := a.calls.Tool+a.calls.Client+a.calls.Principal+a.calls.Connection+a.calls.Outcome+a.calls.Key != ""
	ofReviews := a.events.Verb+a.events.Actor+a.events.Change != ""
	a.narrow = ofCalls || ofReviews || a.since != ""
	switch {
	case a.show != "" && a.show != onlyCalls && a.show != onlyReviews:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "show=%s is neither calls nor reviews", a.show).WithHint("leave it out for both")
	case a.show != "": // the filters of the other log choose nothing
	case ofCalls && ofReviews:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a filter of calls and one of reviews exclude each other").WithHint("clear one of them")
	case ofCalls:
		a.show = onlyCalls
	case ofReviews:
		a.show = onlyReviews
	}
	return nil
}

// begin reads a cursor.
func (a *asked) begin(cursor string) error {
	if cursor == "" {
		return nil
	}
	ofCalls, ofEvents, _ := strings.Cut(cursor, ".")
	var first, second error
	a.at.calls, first = strconv.ParseInt(ofCalls, 10, 64)
	a.at.events, second = strconv.ParseInt(ofEvents, 10, 64)
	if first != nil || second != nil || a.at.calls < 0 || a.at.events < 0 {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the cursor %s is none of this list", strconv.Quote(cursor)).WithHint("go to the first page")
	}
	return nil
}

// command returns the command that shows the same.
func (a *asked) command() string {
	if a.show == onlyReviews {
		return "loam review log --json"
	}
	words := "loam history"
	for _, flag := range []struct{ name, value string }{
		{"--tool", a.calls.Tool}, {"--connection", a.calls.Connection}, {"--principal", a.calls.Principal}, {"--outcome", a.calls.Outcome}, {"--since", a.since},
	} {
		if flag.value != "" {
			words += " " + flag.name + " " + text.ShellWord(flag.value)
		}
	}
	if a.calls.Key != "" {
		words = "loam history show " + text.ShellWord(a.calls.Key)
	}
	return words + " --json"
}
