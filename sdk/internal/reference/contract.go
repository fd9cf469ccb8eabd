package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	call    = regexp.MustCompile(`^  rpc (\w+)\((\w+)\) returns \((?:(stream) )?(\w+)\);`)
	message = regexp.MustCompile(`^(message|enum) (\w+) \{(\})?`)
	field   = regexp.MustCompile(`^\s+((?:repeated |optional |map<[^>]+>|[\w.]+ )+)(\w+) = \d+`)
	value   = regexp.MustCompile(`^\s+([A-Z][A-Z0-9_]+) = \d+;`)
)

// proto calls f for each line of the contract with the comment before it.
func (p *page) proto(f func(line, comment string)) error {
	text, err := os.ReadFile(filepath.Join(p.root, "proto", "connector", "v1", "connector.proto"))
	if err != nil {
		return err
	}
	comment := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if words, ok := strings.CutPrefix(strings.TrimSpace(line), "//"); ok {
			comment += words
			continue
		}
		f(line, strings.TrimSpace(comment))
		comment = ""
	}
	return nil
}

func (p *page) calls() error {
	p.line("", "## Calls", "", "The service `loam.connector.v1.Connector`. A call that a connector does not have is UNIMPLEMENTED.", "", "| call | request | answer | what |", "|---|---|---|---|")
	return p.proto(func(line, comment string) {
		if m := call.FindStringSubmatch(line); m != nil {
			p.line(fmt.Sprintf("| %s | %s | %s | %s |", m[1], m[2], strings.TrimSpace(m[3]+" "+m[4]), cell(comment)))
		}
	})
}

func (p *page) messages() error {
	p.line("", "## Messages", "", "`connector.proto` says what each field means.", "", "| message | fields or values | what |", "|---|---|---|")
	name, about := "", ""
	var members []string
	return p.proto(func(line, comment string) {
		m := message.FindStringSubmatch(line)
		switch f, v := field.FindStringSubmatch(line), value.FindStringSubmatch(line); {
		case m != nil:
			name, about, members = m[2], comment, nil
			if m[3] != "" {
				p.line(fmt.Sprintf("| %s |  | %s |", name, cell(about)))
			}
		case line == "}" && name != "":
			p.line(fmt.Sprintf("| %s | %s | %s |", name, strings.Join(members, ", "), cell(about)))
			name = ""
		case v != nil:
			members = append(members, v[1])
		case f != nil:
			members = append(members, f[2]+" "+cell(strings.TrimSpace(f[1])))
		}
	})
}
