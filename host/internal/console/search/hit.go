package search

import (
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/sdk"
)

// Lengths of texts in the list, in characters.
const (
	maxID    = 160
	maxAbout = 220
	maxValue = 80
	// maxAddress is how long the address of a hit is: one that is longer has no link, for few of them fill a page.
	maxAddress = 600
)

// hit is one thing that was found.
type hit struct {
	N          int      `json:"n"` // its rank, from 1
	Kind       string   `json:"kind"`
	Label      string   `json:"-"` // the kind in words
	ID         string   `json:"id"`
	Href       string   `json:"href,omitempty"` // "" = it has no page
	Connection string   `json:"connectionId,omitempty"`
	About      string   `json:"about,omitempty"`
	Trust      string   `json:"trust,omitempty"`
	Flags      []string `json:"flags,omitempty"`
	// Matched says in which part the words were found, Partial that some of them were not.
	Matched string `json:"matchedOn"`
	Partial bool   `json:"partial,omitempty"`
	// Copies counts the tables that differ from this one in the digits of their names.
	Copies int `json:"copies,omitempty"`
}

// kinds are the kinds that can be chosen, in words. Those of asked are only searched when they are chosen.
var kinds = []struct {
	name, label string
	asked       bool
}{
	{"wiki", "page", false}, {"sl_source", "source", false}, {"sl_measure", "measure", false}, {"sl_dimension", "dimension", false},
	{"table", "table", false}, {"column", "column", false}, {valueKind, "value", false},
	{"file", "file", true}, {"checkpoint", "checkpoint", true}, {"remediation", "remediation", true},
}

// valueKind chooses the search for sampled values alone.
const valueKind = "value"

func labelOf(kind string) string {
	for _, k := range kinds {
		if k.name == kind {
			return k.label
		}
	}
	return kind
}

func hitOf(n int, r *discover.Ref) hit {
	address := addressOf(r)
	if len(address) > maxAddress {
		address = ""
	}
	return hit{
		N: n, Kind: r.Kind, Label: labelOf(r.Kind), ID: markdown.Line(r.ID, maxID), Href: address, Connection: string(r.ConnectionID),
		About: markdown.Line(about(r), maxAbout), Trust: r.Trust, Flags: r.Flags, Matched: matched(r.MatchedOn), Partial: r.Partial, Copies: r.Copies,
	}
}

// about returns the text that says most of a hit: the place of the match, else the summary; of the semantic layer the
// description, else the expression.
func about(r *discover.Ref) string {
	texts := []*string{r.Snippet, r.Summary}
	if strings.HasPrefix(r.Kind, "sl_") {
		texts = []*string{r.Summary, r.Snippet}
	}
	for _, text := range texts {
		if text != nil {
			return *text
		}
	}
	return ""
}

// matched says in words what part of a thing has the words.
func matched(field string) string {
	switch field {
	case "display":
		return "full name"
	case "expr":
		return "expression"
	case "body":
		return "text"
	case "sample_value":
		return "sampled value"
	}
	return field
}

// addressOf returns the address of the page about a hit; "" = it has none.
func addressOf(r *discover.Ref) string {
	id := string(r.ConnectionID)
	switch r.Kind {
	case "wiki":
		return page.Link(append([]string{"wiki"}, strings.Split(r.ID, "/")...)...)
	case "table":
		return page.Link("catalog", id, "table", r.ID)
	case "column":
		if r.TableRef == nil { // the catalog has it no more
			return page.Link("catalog", id)
		}
		return page.Link("catalog", id, "table", display(r.TableRef))
	case "sl_source":
		return page.Link("semantic", id, r.ID)
	case "sl_measure":
		return page.Link("measure", id, r.ID)
	case "sl_dimension":
		return page.Link("semantic", id, r.Source)
	}
	return ""
}

// display returns the name of a table as the catalog shows it.
func display(ref *catalog.TableRef) string {
	of := sdk.TableRef{Name: ref.Name}
	if ref.Catalog != nil {
		of.Catalog = *ref.Catalog
	}
	if ref.DB != nil {
		of.Schema = *ref.DB
	}
	return catalog.Display(of)
}
