package catalog

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// aboutLink says what speaks for a link, or who decided it.
func aboutLink(l review.Link) string {
	var parts []string
	e := l.Evidence
	for _, p := range []struct {
		name  string
		value float64
	}{{"name", e.Name}, {"key", e.Key}, {"contained", e.Containment}} {
		if !e.IsZero() && p.value >= 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f", p.name, p.value))
		}
	}
	if e.Checked > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s missing", e.Missing, text.Count(e.Checked, "value")))
	}
	if e.None != "" {
		parts = append(parts, fmt.Sprintf("%q stands for none", e.None))
	}
	if e.Like != nil {
		parts = append(parts, "asked of "+catalog.Display(*e.Like))
	}
	if d := l.Decision; d != nil {
		said := "decided " + text.Clock(d.At)
		if d.By != "" {
			said += " by " + d.By
		}
		if d.Note != "" {
			said += ": " + d.Note
		}
		parts = append(parts, said)
	} else if e.Reason != "" {
		parts = append(parts, e.Reason)
	}
	if l.Name != "" {
		parts = append(parts, l.Name)
	}
	if l.Stale {
		parts = append(parts, "its table or column is gone")
	}
	return strings.Join(parts, "; ")
}

// LinkDocument is a relationship with what speaks for it.
type LinkDocument struct {
	ID        string              `json:"id"`
	From      endDocument         `json:"from"`
	To        endDocument         `json:"to"`
	Origin    relationship.Origin `json:"origin"`
	Status    relationship.Status `json:"status,omitempty"`
	Name      string              `json:"name,omitempty"`
	Score     float64             `json:"score"`
	Evidence  *evidenceDocument   `json:"evidence,omitempty"`
	DecidedAt string              `json:"decidedAt,omitempty"`
	DecidedBy string              `json:"decidedBy,omitempty"`
	Note      string              `json:"note,omitempty"`
	Stale     bool                `json:"stale,omitempty"`
}

type endDocument struct {
	TableRef catalog.TableRef `json:"tableRef"`
	Display  string           `json:"display"`
	Columns  []string         `json:"columns"`
}

// evidenceDocument has null where something is not known.
type evidenceDocument struct {
	Name        *float64 `json:"name"`
	Key         *float64 `json:"key"`
	Containment *float64 `json:"containment"`
	Surprise    *float64 `json:"surprise"`
	Coverage    *float64 `json:"coverage"`
	Checked     int64    `json:"checked"`
	Missing     int64    `json:"missing"`
	None        string   `json:"none,omitempty"`
	ValidatedAt string   `json:"validatedAt,omitempty"`
	Reason      string   `json:"reason,omitempty"`
	// Like is the copy that was asked instead, Rivals are ends that hold as well.
	Like   string        `json:"like,omitempty"`
	Rivals []endDocument `json:"rivals,omitempty"`
}

func newLinkDocument(l review.Link) LinkDocument {
	d := LinkDocument{
		ID: l.ID, From: newEnd(l.From, l.Columns), To: newEnd(l.To, l.ToColumns),
		Origin: l.Origin, Status: l.Status, Name: l.Name, Score: l.Score, Stale: l.Stale,
	}
	if e := l.Evidence; !e.IsZero() {
		d.Evidence = &evidenceDocument{
			Name: shareOrNull(e.Name), Key: shareOrNull(e.Key), Containment: shareOrNull(e.Containment),
			Surprise: shareOrNull(e.Surprise), Coverage: shareOrNull(e.Coverage),
			Checked: e.Checked, Missing: e.Missing, None: e.None, ValidatedAt: terminal.Moment(e.ValidatedAt), Reason: e.Reason,
		}
		if e.Like != nil {
			d.Evidence.Like = catalog.Display(*e.Like)
		}
		for _, r := range e.Rivals {
			d.Evidence.Rivals = append(d.Evidence.Rivals, newEnd(r.To, r.ToColumns))
		}
	}
	if l.Decision != nil {
		d.DecidedAt, d.DecidedBy, d.Note = terminal.Moment(l.Decision.At), l.Decision.By, l.Decision.Note
	}
	return d
}

func newEnd(ref sdk.TableRef, columns []string) endDocument {
	return endDocument{TableRef: catalog.RefOf(ref), Display: catalog.Display(ref), Columns: columns}
}

// shareOrNull is a share of 1, null where it is not known.
func shareOrNull(share float64) *float64 {
	if share < 0 {
		return nil
	}
	return &share
}
