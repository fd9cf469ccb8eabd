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

// Analytics returns the skill loam-analytics.
func Analytics() Skill {
	return Skill{
		Name: "loam-analytics",
		Description: "Answer questions about data in the warehouses that Loam serves: metrics, tables, columns, values, SQL. " +
			"Use it whenever a number, a report or the meaning of business data is asked for and the tools of the MCP server loam " +
			"(discover_data, sl_query, sql_execution and others) are there.",
		Body: analytics,
	}
}

// FileName is the name of a skill's file, in a folder with the name of the skill.
const FileName = "SKILL.md"

// File returns the skill's file: front matter with the name and the description, then the body.
func (s Skill) File() []byte {
	return fmt.Appendf(nil, "---\nname: %s\ndescription: %q\n---\n\n%s", s.Name, s.Description, s.Body)
}

// Archive returns a ZIP file of the skill's folder, for clients that import one. Equal skills
// have equal bytes.
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
