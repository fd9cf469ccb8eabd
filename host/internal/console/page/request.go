package page

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Field returns a field of the form, without the spaces around it.
func (r *Request) Field(name string) string { return strings.TrimSpace(r.Form.Get(name)) }

// Param returns a parameter of the address, without the spaces around it.
func (r *Request) Param(name string) string { return strings.TrimSpace(r.Query.Get(name)) }

// Number returns a parameter of the address as a number; fallback when it is not given.
// Errors: KindInvalid for another text, or a number outside of least to most.
func (r *Request) Number(name string, fallback, least, most int) (int, error) {
	text := r.Param(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s=%s is no number from %d to %d", name, text, least, most).WithHint("go back and choose again")
	}
	return n, nil
}

// Link returns the address of a page: its segments below /console/, escaped.
func Link(segments ...string) string {
	escaped := make([]string, len(segments))
	for i, s := range segments {
		escaped[i] = url.PathEscape(s)
	}
	return Root + strings.Join(escaped, "/")
}

// With returns an address with parameters set (or, with "", removed), given as name, value, name, value. A cursor
// belongs to the other parameters: it is removed unless it is set.
func With(of *url.URL, pairs ...string) string {
	query := of.Query()
	query.Del("cursor")
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			query.Del(pairs[i])
		} else {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	to := url.URL{Path: of.Path, RawPath: of.RawPath, RawQuery: query.Encode()}
	return to.String()
}

// Local returns a path of the console that a form names, and whether it is one: nothing outside of the console.
func Local(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(u.Path, Root) || path.Clean(u.Path)+"/" == "//" {
		return "", false
	}
	if clean := path.Clean(u.Path); clean != strings.TrimSuffix(u.Path, "/") || strings.ContainsAny(address, "\\\r\n\t") {
		return "", false
	}
	return u.RequestURI(), true
}

// Pager leads to the further pages of a list.
type Pager struct {
	// Total of all pages; -1 = not known. First is the number of the first row here, from 1; 0 = not known.
	Total int    `json:"total"`
	Shown int    `json:"shown"`
	Next  string `json:"nextCursor,omitempty"`
	// Cursor is that of this page; "" = it is the first one.
	Cursor string `json:"cursor,omitempty"`
}

// Choice is one value of a filter.
type Choice struct {
	// Value of the parameter; "" = any.
	Value string `json:"value"`
	Label string `json:"label"`
	// Count of what it would choose; -1 = not counted.
	Count int  `json:"count"`
	Now   bool `json:"now,omitempty"` // it is chosen
}

// Filter is a parameter of the address that narrows a list. With Choices it is a menu, else a field of text.
type Filter struct {
	Name    string   `json:"name"` // of the parameter
	Label   string   `json:"label"`
	Value   string   `json:"value,omitempty"`
	Choices []Choice `json:"choices,omitempty"`
}
