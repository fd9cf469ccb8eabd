package skillset

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
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/text/ranking"
	"github.com/loam-data/loam/host/internal/tokens"
	"github.com/loam-data/loam/sdk"
)

// Limits of lists and searches.
const (
	DefaultListed, MaxListed = 10, 100
	DefaultFound             = 5
	maxQuery                 = 1000 // characters
	maxTags                  = 20
	namedProblems            = 5
	// unreviewedWeight is what the score of a skill counts that no person reviewed.
	unreviewedWeight = 0.9
)

// The orders of a list.
const (
	ByCreated = "createdAt"
	ByUpdated = "updatedAt"
	ByUsage   = "usageCount"
	BySuccess = "successRate"
)

// Orders are the orders of a list, the default first.
func Orders() []string { return []string{ByCreated, ByUpdated, ByUsage, BySuccess} }

// ListRequest chooses skills.
type ListRequest struct {
	// Category "" = all. Tags chooses those with all of them, in any case.
	Category string
	Tags     []string
	// SortBy "" = ByCreated. The latest, most used or most successful come first, those without a value last.
	SortBy string
	// Limit 0 = DefaultListed.
	Limit int
	// Cursor is the NextCursor of the answer before; "" = the first.
	Cursor string
}

// SearchRequest searches skills.
type SearchRequest struct {
	Query string
	// TopK 0 = DefaultFound.
	TopK     int
	Category string
	Tags     []string
}

// Found is the answer of a search: the skills with any of the words, the best first.
type Found struct {
	Skills []Listed `json:"skills"`
	// Total counts all that have any of the words.
	Total int      `json:"total"`
	Notes []string `json:"notes,omitempty"`
}

// Listing is a page of skills.
type Listing struct {
	Found
	NextCursor *string `json:"nextCursor"`
}

// Listed is a skill without its text.
type Listed struct {
	Name        string   `json:"name"`
	Version     *string  `json:"version"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Category    *string  `json:"category"`
	Tags        []string `json:"tags"`
	// UsageCount nil = the uses are not known; SuccessRate nil = nobody reported an outcome. Both are of the present
	// major version.
	UsageCount  *int       `json:"usageCount"`
	SuccessRate *float64   `json:"successRate"`
	Trust       string     `json:"trust"`
	CreatedAt   *time.Time `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	Score       *float64   `json:"score,omitempty"`
}

// List lists skills, reviewed or not, in an order.
// Errors: KindInvalid for an order, a limit, a cursor or tags that cannot be; those of skill.Library.Items.
func (s *Service) List(ctx context.Context, r ListRequest) (*Listing, error) {
	switch {
	case r.SortBy != "" && !slices.Contains(Orders(), r.SortBy):
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "skills have no order %.40q", r.SortBy).WithHint("use one of %s", strings.Join(Orders(), ", "))
	case r.Limit < 0 || r.Limit > MaxListed:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "limit is %d", r.Limit).WithHint("ask for 1 to %d skills, and follow nextCursor", MaxListed)
	}
	l := &Listing{}
	chosen, uses, err := s.choose(ctx, r.Category, r.Tags, &l.Notes)
	if err != nil {
		return nil, err
	}
	all := make([]Listed, len(chosen))
	for i := range chosen {
		all[i] = listed(&chosen[i], uses)
	}
	slices.SortStableFunc(all, func(a, b Listed) int { return compare(&b, &a, cmp.Or(r.SortBy, ByCreated)) })
	from, print, err := r.start(all)
	if err != nil {
		return nil, err
	}
	l.Total = len(all)
	end := min(from+cmp.Or(r.Limit, DefaultListed), l.Total)
	if end < l.Total {
		next := base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(end) + "." + print))
		l.NextCursor = &next
	}
	l.Skills = append([]Listed{}, all[from:end]...)
	return l, nil
}

// compare compares two skills by one property; what is not known is less than all else.
func compare(a, b *Listed, by string) int {
	switch by {
	case ByUpdated:
		return a.UpdatedAt.Compare(b.UpdatedAt)
	case ByUsage:
		return lesser(a.UsageCount, b.UsageCount, cmp.Compare[int])
	case BySuccess:
		return lesser(a.SuccessRate, b.SuccessRate, cmp.Compare[float64])
	}
	return lesser(a.CreatedAt, b.CreatedAt, time.Time.Compare)
}

func lesser[T any](a, b *T, known func(a, b T) int) int {
	switch {
	case a != nil && b != nil:
		return known(*a, *b)
	case a != nil:
		return 1
	case b != nil:
		return -1
	}
	return 0
}

// start returns the offset of a page and the fingerprint of the arguments and of the list, which a cursor has too.
// Errors: KindInvalid for a cursor of other arguments or of another state of the skills.
func (r *ListRequest) start(all []Listed) (from int, print string, err error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q\n", r.Category, r.Tags, r.SortBy)
	for _, l := range all {
		fmt.Fprintf(sum, "%s %d\n", l.Name, l.UpdatedAt.UnixNano())
	}
	const bytes = 8
	print = fmt.Sprintf("%x", sum.Sum(nil)[:bytes])
	if r.Cursor == "" {
		return 0, print, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(r.Cursor)
	at, of, _ := strings.Cut(string(raw), ".")
	from, errAt := strconv.Atoi(at)
	if err != nil || errAt != nil || of != print || from < 1 || from >= len(all) {
		return 0, "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the cursor belongs to other arguments, or the skills have changed").WithHint("leave cursor out to begin anew")
	}
	return from, print, nil
}

// Search finds skills by words of their name, title, tags, category and description, reviewed ones before others that are
// equally good.
// Errors: KindInvalid for no words, too many, or a topK that cannot be; those of List.
func (s *Service) Search(ctx context.Context, r SearchRequest) (*Found, error) {
	switch n := utf8.RuneCountInString(r.Query); {
	case strings.TrimSpace(r.Query) == "":
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "query is empty").WithHint("give some words, or call skill_list (loam skills list) for all")
	case n > maxQuery:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "query has %d characters; the limit is %d", n, maxQuery).WithHint("search for a few words")
	case r.TopK < 0 || r.TopK > MaxListed:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "topK is %d", r.TopK).WithHint("ask for 1 to %d skills", MaxListed)
	}
	f := &Found{Skills: []Listed{}}
	chosen, uses, err := s.choose(ctx, r.Category, r.Tags, &f.Notes)
	if err != nil {
		return nil, err
	}
	documents := make([]ranking.Document, len(chosen))
	for i, c := range chosen {
		documents[i] = ranking.Document{
			Names: strings.Join(append([]string{c.Name, c.Skill.Title(), c.Skill.Category}, c.Skill.Tags...), "\n"),
			Texts: strings.Join(append([]string{c.Skill.Description, c.Skill.ExpectedOutcome}, c.Skill.Prerequisites...), "\n"),
		}
	}
	hits := ranking.Of(r.Query, documents)
	for i := range hits {
		if !chosen[hits[i].At].Skill.Reviewed {
			hits[i].Score = float64(int(hits[i].Score*unreviewedWeight*1000+0.5)) / 1000
		}
	}
	slices.SortStableFunc(hits, func(a, b ranking.Hit) int { return cmp.Compare(b.Score, a.Score) })
	f.Total = len(hits)
	for _, h := range hits[:min(len(hits), cmp.Or(r.TopK, DefaultFound))] {
		l := listed(&chosen[h.At], uses)
		l.Score = &h.Score
		f.Skills = append(f.Skills, l)
	}
	return f, nil
}

// choose returns the skills of a category with all tags, their uses, and notes about what is left out.
func (s *Service) choose(ctx context.Context, category string, tags []string, notes *[]string) ([]skill.Item, counts, error) {
	if len(tags) > maxTags {
		return nil, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d tags are given; the limit is %d", len(tags), maxTags).WithHint("give fewer tags")
	}
	good, broken, err := s.usable(ctx)
	if err != nil {
		return nil, nil, err
	}
	good = slices.DeleteFunc(good, func(i skill.Item) bool {
		return category != "" && !strings.EqualFold(category, i.Skill.Category) || slices.ContainsFunc(tags, func(tag string) bool {
			return !slices.ContainsFunc(i.Skill.Tags, func(own string) bool { return strings.EqualFold(own, tag) })
		})
	})
	uses, err := s.counts(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		*notes = append(*notes, "The uses are not known: "+sdk.AsError(err, sdk.SourceHost).Msg+".")
	}
	*notes = append(*notes, s.remarks(ctx, good, broken)...)
	return good, uses, nil
}

// remarks names what is no skill, no prompt, or waits for a person.
func (s *Service) remarks(ctx context.Context, good, broken []skill.Item) (notes []string) {
	for i, b := range broken {
		if i == namedProblems {
			notes = append(notes, fmt.Sprintf("%s cannot be used either.", text.Count(len(broken)-i, "other folder")))
			break
		}
		notes = append(notes, fmt.Sprintf("%.80q cannot be used: %s.", skill.Folder+"/"+b.Name, sdk.AsError(b.Problem, sdk.SourceHost).Msg))
	}
	for _, i := range good {
		if n := tokens.Estimate(i.Skill.Body); i.Skill.Reviewed && n > MaxPrompt {
			notes = append(notes, fmt.Sprintf("%s has %d tokens and is no prompt: the limit is %d.", i.Name, n, MaxPrompt))
		}
		notes = append(notes, i.Notes...)
	}
	if n, err := s.WaitingCount(ctx); err == nil && n > 0 {
		notes = append(notes, "Waiting for a person: "+text.Count(n, "change")+" of skills (loam review list --kind skill).")
	}
	return notes
}

func listed(i *skill.Item, uses counts) Listed {
	l := Listed{
		Name: i.Name, Title: i.Skill.Title(), Description: i.Skill.Description, Tags: append([]string{}, i.Skill.Tags...), Trust: i.Skill.Trust(),
		UpdatedAt: i.Modified.UTC().Truncate(time.Second), Version: known(i.Skill.Version), Category: known(i.Skill.Category),
	}
	if at, err := time.Parse(time.RFC3339, i.Skill.Created); err == nil {
		at = at.UTC()
		l.CreatedAt = &at
	}
	if uses != nil {
		c := uses.of(i)
		l.UsageCount, l.SuccessRate = &c.Uses, rate(c)
	}
	return l
}

// known returns nil for "".
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
