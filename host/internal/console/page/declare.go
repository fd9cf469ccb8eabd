// Package page declares the pages of the console: a page is an address, a template and functions that call use cases.
// The frame around them (sessions, headers, layout, answers in JSON) is package console.
package page

import (
	"context"
	"io"
	"io/fs"
	"net/url"
	"time"

	"github.com/loam-data/loam/host/internal/change"
)

// Group is related pages with their templates.
type Group struct {
	// Templates has the files *.html. Each defines one or more templates, whose names no other group uses.
	Templates fs.FS
	Pages     []Page
}

// Page is one address of the console.
type Page struct {
	// Path below /console/, with wildcards of http.ServeMux: "change/{id}", "wiki/{key...}"; "" is the start page.
	Path string
	// Section is the entry of the navigation that is marked, as in Sections; "" = none.
	Section string
	// Template shows the data of the page's views.
	Template string
	// Show answers GET and changes nothing.
	// Errors: any *sdk.Error; the frame shows it as a page with the status of its kind.
	Show func(ctx context.Context, r *Request) (*View, error)
	// Actions answer POST, chosen by the field "do" of the form. nil = the page takes no POST.
	Actions map[string]Action
}

// Action is something that a form does.
type Action struct {
	// Do runs the action. A nil Outcome leads back to the page.
	Do func(ctx context.Context, r *Request) (*Outcome, error)
	// Reader: the role reader may use it, too. Such actions change nothing.
	Reader bool
	// Query: a reader may use it where console.reader_query is set.
	Query bool
}

// Role says what a person may do in the console.
type Role string

// The roles.
const (
	Reviewer Role = "reviewer" // everything
	Reader   Role = "reader"   // sees everything and changes nothing
)

// Request is a request of a person who signed in.
type Request struct {
	// Query are the parameters of the address, Form the fields of a POST.
	Query, Form url.Values
	// Actor is who decides: its channel is change.Console.
	Actor change.Actor
	Role  Role
	// Session identifies the session, for what an action keeps of it; it is no secret.
	Session string
	// Path returns the value of a wildcard of the page's path.
	Path func(wildcard string) string
	Now  time.Time
	// URL is the page's path and query.
	URL *url.URL
}

// View is the content of a page.
type View struct {
	// Title is the heading and the title of the window.
	Title string
	// Command is the loam command that gives the same; "" = there is none.
	Command string
	// Data is a struct with JSON names, the dot .Data of the template, and the answer to a request for JSON.
	Data any
	// Template replaces the page's; "" = the page's.
	Template string
	// Status is the HTTP status; 0 = 200.
	Status int
	// Refresh asks the browser to load the page again after this time, as long as the person wants; 0 = never.
	Refresh time.Duration
	// Then runs after the page is sent so far, and its result is the dot .Data of template ThenTemplate, which follows.
	// The context ends when the person leaves the page. nil = the page is complete.
	Then         func(ctx context.Context) (any, error)
	ThenTemplate string
	// File is sent in place of a page; nil = there is none.
	File *File
}

// File is an answer for saving.
type File struct {
	Name, Type string
	// Write writes the content. An error after the first byte cuts the answer off.
	Write func(ctx context.Context, w io.Writer) error
}

// Outcome is the result of an action.
type Outcome struct {
	// To is the page to show next, below /console/, with its query; "" = the page with the form, or the one
	// of its field "back".
	To string
	// Flash is shown on the next page; nil = nothing.
	Flash *Flash
	// View is shown at once in place of another page: results, or a form with its faults. nil = go to To.
	View *View
}

// Flash is a message about what was just done.
type Flash struct {
	Text    string   `json:"text"`
	Details []string `json:"details,omitempty"`
	// Failed: it was not done, or not all of it.
	Failed bool `json:"failed,omitempty"`
	// Undo takes it back; nil = it cannot be taken back.
	Undo *Form `json:"undo,omitempty"`
}

// Form is a form of one button.
type Form struct {
	// To is the page that takes it, below /console/.
	To string `json:"to"`
	// Do is the action, Label the text of the button.
	Do    string `json:"do"`
	Label string `json:"label"`
	// Fields are further fields of the form.
	Fields url.Values `json:"fields,omitempty"`
}

// Section is an entry of the navigation.
type Section struct{ Name, Path, Label, Key string }

// Sections lists the entries of the navigation. Key follows the key g.
func Sections() []Section {
	return []Section{
		{"inbox", "", "Inbox", "i"},
		{"wiki", "wiki", "Wiki", "w"},
		{"semantic", "semantic", "Semantic layer", "s"},
		{"catalog", "catalog", "Catalog", "c"},
		{"query", "query", "Query", "q"},
		{"history", "history", "History", "t"},
		{"health", "health", "Health", "h"},
	}
}

// Root is the path of the console on its server.
const Root = "/console/"

// Dot is the dot of a page's template.
type Dot struct {
	// Data is View.Data.
	Data any
	// Token is the value of the field "token", which every form has: {{template "token" .}}.
	Token string
	// Reviewer: the person may decide.
	Reviewer bool
	// MayQuery: the person may run queries.
	MayQuery bool
	Now      time.Time
	// Here is the page's address, for links that keep its parameters.
	Here *url.URL
}
