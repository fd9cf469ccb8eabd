package approved

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// DefaultQueries is the limit of a list without one, MaxQueries the largest.
	DefaultQueries = 50
	MaxQueries     = 200
	// maxQuery bounds the words to search for, in characters, and maxTags the tags.
	maxQuery, maxTags = 500, 20
	// listedExamples is how many examples of a query a list shows.
	listedExamples = 2
)

// ListRequest chooses saved queries.
type ListRequest struct {
	// Connection "" = all.
	Connection connection.ID
	// Query chooses those with any of its words, the best first; "" = all, by connection and name.
	Query string
	// Tags chooses those with all of them, in any case.
	Tags []string
	// Limit 0 = DefaultQueries.
	Limit int
	// Cursor is the NextCursor of the answer before; "" = the first.
	Cursor string
	// All: also those that are not reviewed.
	All bool
}

// Listing is a page of saved queries.
type Listing struct {
	Queries []Listed `json:"queries"`
	// Total counts all pages.
	Total      int      `json:"total"`
	NextCursor *string  `json:"nextCursor"`
	Notes      []string `json:"notes,omitempty"`
}

// Listed is a saved query without its SQL.
type Listed struct {
	Name         string                 `json:"name"`
	ConnectionID connection.ID          `json:"connectionId"`
	Title        string                 `json:"title"`
	Description  string                 `json:"description"`
	Parameters   []savedquery.Parameter `json:"parameters"`
	Output       []savedquery.Column    `json:"output"`
	Constraints  *string                `json:"constraints"`
	Examples     []map[string]any       `json:"examples"`
	Tags         []string               `json:"tags"`
	// Usage nil = it is not recorded.
	Usage *Usage `json:"usage"`
	// Unreviewed: a person has not reviewed it, and agents cannot run it.
	Unreviewed bool `json:"unreviewed,omitempty"`
}

// Usage is how often agents ran a query. The last two are nil before the first run.
type Usage struct {
	Runs        int     `json:"runs"`
	LastRunAt   *string `json:"lastRunAt"`
	LastOutcome *string `json:"lastOutcome"`
}

// List lists the saved queries that the request chooses. It starts no connector.
// Errors: KindInvalid for a limit, a cursor or words that cannot be; KindNotFound for an unknown connection; those of
// library.Library.Items.
func (s *Service) List(ctx context.Context, r ListRequest) (*Listing, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	items, err := s.open(ctx, r.Connection)
	if err != nil {
		return nil, err
	}
	l := &Listing{Queries: []Listed{}}
	broken := 0
	items = slices.DeleteFunc(items, func(i library.Item) bool {
		if i.Problem != nil {
			broken++
		}
		return i.Problem != nil || !r.All && !i.Query.Reviewed || !tagged(i.Query, r.Tags)
	})
	items = ranked(items, r.Query)
	from, print, err := r.start(items)
	if err != nil {
		return nil, err
	}
	l.Total = len(items)
	end := min(from+cmp.Or(r.Limit, DefaultQueries), l.Total)
	if end < l.Total {
		next := base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(end) + "." + print))
		l.NextCursor = &next
	}
	var page []history.SavedQuery
	for i := range items[from:end] {
		page = append(page, recorded(&items[from+i]))
	}
	uses, known, err := s.Usage(ctx, page)
	if err != nil {
		known = false // the queries are known all the same
		l.Notes = append(l.Notes, "The usage is not known: "+sdk.AsError(err, sdk.SourceHost).Msg+".")
	}
	for i := from; i < end; i++ {
		l.Queries = append(l.Queries, listed(&items[i], uses, known))
	}
	if broken > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("%s of queries cannot be used and %s left out: a person runs loam queries check.", text.Count(broken, "file"), isOrAre(broken)))
	}
	return l, nil
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func (r *ListRequest) check() error {
	switch {
	case r.Limit < 0 || r.Limit > MaxQueries:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "limit is %d", r.Limit).WithHint("ask for 1 to %d queries, and follow nextCursor", MaxQueries)
	case len([]rune(r.Query)) > maxQuery:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "query has %d characters; the limit is %d", len([]rune(r.Query)), maxQuery).WithHint("search for a few words")
	case len(r.Tags) > maxTags:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d tags are given; the limit is %d", len(r.Tags), maxTags).WithHint("give fewer tags")
	}
	return nil
}

// start returns the offset of a page and the fingerprint of the arguments and of the list, which a cursor has too.
// Errors: KindInvalid for a cursor of other arguments or of another state of the files.
func (r *ListRequest) start(items []library.Item) (from int, print string, err error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %t\n", r.Connection, r.Query, r.Tags, r.All)
	for _, i := range items {
		fmt.Fprintf(sum, "%s %s %s\n", i.Connection, i.Name, i.Version)
	}
	const bytes = 8
	print = fmt.Sprintf("%x", sum.Sum(nil)[:bytes])
	if r.Cursor == "" {
		return 0, print, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(r.Cursor)
	at, of, _ := strings.Cut(string(raw), ".")
	from, errAt := strconv.Atoi(at)
	if err != nil || errAt != nil || of != print || from < 1 || from >= len(items) {
		return 0, "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the cursor belongs to other arguments, or the queries have changed").
			WithHint("leave cursor out to begin anew")
	}
	return from, print, nil
}

// tagged reports whether a query has all tags.
func tagged(q *savedquery.Query, tags []string) bool {
	return !slices.ContainsFunc(tags, func(tag string) bool {
		return !slices.ContainsFunc(q.Tags, func(own string) bool { return strings.EqualFold(own, tag) })
	})
}

// recorded names a query as the history does.
func recorded(i *library.Item) history.SavedQuery {
	return history.SavedQuery{Connection: string(i.Connection), Name: i.Name}
}

func listed(i *library.Item, uses map[history.SavedQuery]history.Usage, known bool) Listed {
	q := i.Query
	l := Listed{
		Name: i.Name, ConnectionID: i.Connection, Title: cmp.Or(q.Title, i.Name), Description: q.Description, Parameters: append([]savedquery.Parameter{}, q.Parameters...),
		Output: append([]savedquery.Column{}, q.Output...), Examples: append([]map[string]any{}, q.Examples[:min(listedExamples, len(q.Examples))]...),
		Tags: append([]string{}, q.Tags...), Unreviewed: !q.Reviewed,
	}
	if q.Constraints != "" {
		l.Constraints = &q.Constraints
	}
	if !known {
		return l
	}
	u := uses[recorded(i)]
	l.Usage = &Usage{Runs: u.Runs}
	if u.Runs > 0 {
		at := u.Last.UTC().Format(time.RFC3339)
		l.Usage.LastRunAt, l.Usage.LastOutcome = &at, &u.Outcome
	}
	return l
}
