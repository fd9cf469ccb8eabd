// Package chunk divides the texts of files into chunks for search, and stores them with their positions in
// the state store. The rows are a cache: the next sync restores deleted ones. Parsers divide a text as
// Markdown, SQL, code, or lines.
package chunk

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// maxPiece is the largest chunk, in bytes.
const maxPiece = 4 << 10

// maxHeading is the longest heading of a chunk, in bytes.
const maxHeading = 200

// A Parser divides texts into chunks. It does no I/O.
type Parser struct {
	ID string
	// Version is the version of its rules. Raise it when they change: the next sync then divides all files again.
	Version int
	// blocks returns the blocks of a text, in order and without gaps.
	blocks func(lines []string) []block
}

// block is a range of lines that belong together: from line to the next block.
type block struct {
	line    int // from 0
	heading string
}

var parsers = []Parser{
	{ID: "raw-text", Version: 1, blocks: func([]string) []block { return []block{{}} }},
	{ID: "markdown", Version: 1, blocks: sections},
	{ID: "sql", Version: 1, blocks: statements},
	{ID: "code", Version: 1, blocks: topLevel},
}

// byExtension has the parsers of extensions; code has further ones, all other files are raw-text.
var byExtension = map[string]string{".md": "markdown", ".markdown": "markdown", ".mdx": "markdown", ".sql": "sql", ".ddl": "sql"}

// code lists the extensions of files that are divided at indentation.
const code = "bash c cc clj cpp cs css dart erl ex exs go graphql groovy h hcl hpp hs java jl js jsx kt kts less lkml lua m ml mm php pl pm proto ps1 py pyi r rb rs sbt scala scss sh swift tf toml ts tsx vue yaml yml zig zsh"

// ParserOf returns the parser of a file by its extension; raw-text for an unknown one.
func ParserOf(name string) Parser {
	extension := strings.ToLower(path.Ext(name))
	id := byExtension[extension]
	if id == "" && extension != "" && slices.Contains(strings.Fields(code), extension[1:]) {
		id = "code"
	}
	if p, err := ParserByID(id); err == nil {
		return p
	}
	return parsers[0]
}

// ParserByID returns the parser with an id.
// Errors: KindInvalid for an unknown id, with the known ones; it never falls back to another parser.
func ParserByID(id string) (Parser, error) {
	var known []string
	for _, p := range parsers {
		if p.ID == id {
			return p, nil
		}
		known = append(known, p.ID)
	}
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no parser %q", id).WithHint("use one of %s", strings.Join(known, ", "))
	e.Candidates = known
	return Parser{}, e
}

// Piece is a chunk of a text.
type Piece struct {
	Heading string
	// First and Last are its lines, counted from 1; 0 = not known.
	First, Last int
	Text        string
}

// Split divides a text into pieces.
// Shape: in order; every character that is not white space is in exactly one piece.
// Units: a piece has at most 4 KiB; the time is linear in the size of the text.
func (p Parser) Split(text string) (pieces []Piece) {
	lines := strings.SplitAfter(text, "\n")
	blocks := p.blocks(lines)
	for i, b := range blocks {
		end := len(lines)
		if i+1 < len(blocks) {
			end = blocks[i+1].line
		}
		pieces = fit(pieces, lines[b.line:end], b.line, cut(b.heading, maxHeading))
	}
	return pieces
}

// fit appends the lines of a block as pieces of at most maxPiece; at is the first line, counted from 0.
func fit(pieces []Piece, lines []string, at int, heading string) []Piece {
	first, size := 0, 0
	flush := func(end int) {
		pieces = appendPiece(pieces, lines[first:end], at+first, heading)
		first, size = end, 0
	}
	for i, line := range lines {
		if size+len(line) > maxPiece && size > 0 {
			flush(i)
		}
		if len(line) <= maxPiece {
			size += len(line)
			continue
		}
		for rest := line; rest != ""; {
			part := cut(rest, maxPiece)
			pieces = appendPiece(pieces, []string{part}, at+i, heading)
			rest = rest[len(part):]
		}
		first, size = i+1, 0
	}
	flush(len(lines))
	return pieces
}

// appendPiece appends lines as one piece, without blank lines around it. It appends nothing for only blank lines.
func appendPiece(pieces []Piece, lines []string, at int, heading string) []Piece {
	for len(lines) > 0 && blank(lines[0]) {
		lines, at = lines[1:], at+1
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return pieces
	}
	text := strings.TrimRight(strings.Join(lines, ""), "\r\n")
	return append(pieces, Piece{Heading: heading, First: at + 1, Last: at + len(lines), Text: text})
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// cut returns the beginning of a text: whole characters, at most n bytes.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for back := range utf8.UTFMax {
		if utf8.RuneStart(text[n-back]) {
			return text[:n-back]
		}
	}
	return text[:n]
}
