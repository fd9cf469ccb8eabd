package approved

import (
	"strings"

	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/text/ranking"
)

// ranked returns the items with any of the words, the best first; all items, as they are sorted, without words.
func ranked(items []library.Item, words string) []library.Item {
	if strings.TrimSpace(words) == "" {
		return items
	}
	all := make([]ranking.Document, len(items))
	for i, item := range items {
		all[i] = ranking.Document{
			Names: item.Name + "\n" + item.Query.Title + "\n" + strings.Join(item.Query.Tags, "\n"), Texts: prose(item.Query),
		}
	}
	hits := ranking.Of(words, all)
	found := make([]library.Item, len(hits))
	for i, h := range hits {
		found[i] = items[h.At]
	}
	return found
}

// prose returns the texts of a query beside its name, title and tags.
func prose(q *savedquery.Query) string {
	all := []string{q.Description, q.Constraints}
	for _, p := range q.Parameters {
		all = append(all, p.Name, p.Description)
	}
	for _, c := range q.Output {
		all = append(all, c.Name)
	}
	return strings.Join(all, "\n")
}
