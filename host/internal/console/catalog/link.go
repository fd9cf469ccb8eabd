package catalog

import (
	"net/url"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/text"
)

// Like returns how many copies of the row's table there are.
func (j joinRow) Like() int { return j.Count - 1 }

// Rescan returns the command that scans the connection again.
func (s site) Rescan() string { return "loam scan " + text.ShellWord(s.Connection) }

// PictureLink returns the address of the picture around the table.
func (d *tablePage) PictureLink() string {
	return pictureLink(connection.ID(d.Connection), string(d.Display))
}

// JoinsLink returns the address of the joins of the table.
func (d *tablePage) JoinsLink() string {
	return page.Link(section, d.Connection, "joins") + "?" + url.Values{"state": {anyState}, "table": {cut(string(d.Display), maxLinked)}}.Encode()
}

// RelationsCommand returns the command that lists all foreign keys.
func (d *tablePage) RelationsCommand() string {
	return "loam catalog relationships -c " + text.ShellWord(d.Connection)
}

// ListCommand returns the command that lists all joins.
func (d *joinsPage) ListCommand() string {
	return "loam catalog relationships -c " + text.ShellWord(d.Connection) + " --status all"
}

// Next returns the command that makes another snapshot.
func (d *snapshotsPage) Next() string { return d.Rescan() }

// SampleAction returns the address to which the button of a row posts: this page, with the row.
func (d *joinsPage) SampleAction(id string, here *url.URL) string {
	return page.With(here, "sample", id, "cursor", d.Pager.Cursor) + "#j-" + id
}

// As returns the address of the picture as a file.
func (d *picturePage) As(kind string) string {
	query, err := url.ParseQuery(d.Query)
	if err != nil {
		query = url.Values{}
	}
	query.Set("as", kind)
	return page.Link(section, d.Connection, "er") + "?" + query.Encode()
}

// pictureLink returns the address of the picture around a table.
func pictureLink(id connection.ID, display string) string {
	if len(display) > maxLinked {
		return page.Link(section, string(id), "er")
	}
	return page.Link(section, string(id), "er") + "?focus=" + url.QueryEscape(display)
}
