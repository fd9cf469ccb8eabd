package project

import (
	"fmt"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"
)

// Sources is what agents may have read beside warehouses.
type Sources struct {
	// Roots are the folders below which agents may have folders indexed, absolute; nil = none.
	Roots []string
}

func (d *decoder) sources(n *yaml.Node, path, dir string, into *Sources) {
	d.mapping(n, path, []key{{"roots", false, func(n *yaml.Node, path string) { d.roots(n, path, dir, &into.Roots) }}}, "")
}

// roots decodes a list of folders; a relative one is below the project folder.
func (d *decoder) roots(n *yaml.Node, path, dir string, into *[]string) {
	if n.Kind != yaml.SequenceNode {
		d.problem(n, path, "must be a list of folders, such as [docs, ../handbook], not %s", kindName(n))
		return
	}
	for i, item := range n.Content {
		item, at := follow(item), fmt.Sprintf("%s[%d]", path, i)
		d.positions[at] = position{item.Line, item.Column}
		var root string
		if d.text(item, at, &root); strings.TrimSpace(root) == "" || strings.ContainsRune(root, 0) {
			d.problem(item, at, "must name a folder")
			continue
		}
		if !filepath.IsAbs(root) {
			root = filepath.Join(dir, root)
		}
		*into = append(*into, filepath.Clean(root))
	}
}
