// Package skill has the instructions for agents that work with Loam. Clients
// install them, and the MCP server serves them.
package skill

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"time"
)

//go:embed loam-analytics.md
var analytics string

// Skill is a set of instructions that an agent reads when it needs them.
type Skill struct {
	// Name is in lower case with hyphens, and the name of the skill's folder.
	Name string
	// Description says when to read the body.
	// Units: at most 1024 characters, on one line.
	Description string
	// Body is Markdown.
	Body string
}

// Analytics is the skill loam-analytics.
func Analytics() Skill {
	return Skill{
		Name: "loam-analytics",
		Description: "Answer questions about data in the warehouses that Loam serves: metrics, tables, columns, values, SQL. " +
			"Use it whenever a number, a report or the meaning of business data is asked for and the tools of the MCP server loam " +
			"(discover_data, sl_query, sql_execution and others) are there.",
		Body: analytics,
	}
}

// FileName is what the file of a skill is called, in a folder named after it.
const FileName = "SKILL.md"

// File renders the skill's file as the clients that know skills read it: the
// name and the description before the body.
func (s Skill) File() []byte {
	return fmt.Appendf(nil, "---\nname: %s\ndescription: %q\n---\n\n%s", s.Name, s.Description, s.Body)
}

// Archive is a ZIP file of the skill's folder, for clients that import one. The
// same skill makes the same bytes.
func (s Skill) Archive() ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	header := &zip.FileHeader{Name: s.Name + "/" + FileName, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	header.SetMode(0o644)
	f, err := w.CreateHeader(header)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(s.File())
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}
