package semanticquery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Text implements tool.Texter: one line per member, join and reachable source.
// Shape: the structured answer without the kinds of measures, which their meaning shows, and
// without granularities, which are those of a date or of a time.
func (a *SourceAnswer) Text() string {
	var b strings.Builder
	a.writeGround(&b)
	var measures, segments, dimensions, joins, reachable []string
	for i := range a.Measures {
		m := &a.Measures[i]
		measures = append(measures, joined("; ", m.Name+" = "+flat(m.Meaning()), m.Unit, m.Format)+m.said())
	}
	for _, s := range a.Segments {
		segments = append(segments, s.Name+" = "+flat(s.Expr)+s.said())
	}
	for _, d := range a.Dimensions {
		dimensions = append(dimensions, d.line())
	}
	for _, j := range a.Joins {
		joins = append(joins, j.line())
	}
	for _, r := range a.Reachable {
		reachable = append(reachable, r.name())
	}
	if a.ReachableTruncated {
		reachable = append(reachable, "and more")
	}
	b.WriteString(section("measures", measures))
	b.WriteString(section("segments", segments))
	b.WriteString(section("dimensions", dimensions))
	b.WriteString(section("joins", joins))
	if len(reachable) > 0 {
		b.WriteString("in reach, as NAME.DIMENSION: " + strings.Join(reachable, ", ") + "\n")
	}
	a.writeContext(&b)
	a.writeFaults(&b)
	return strings.TrimSuffix(b.String(), "\n")
}

// writeGround writes what the rows of the source are.
func (a *SourceAnswer) writeGround(b *strings.Builder) {
	ground := []string{"connection " + string(a.Connection)}
	if a.Table != "" {
		ground = append(ground, "table "+a.Table)
	}
	if len(a.PrimaryKey) > 0 {
		ground = append(ground, "one row per "+strings.Join(a.PrimaryKey, ", "))
	}
	for _, key := range a.UniqueKeys {
		ground = append(ground, "unique: "+strings.Join(key, ", "))
	}
	if a.DefaultTimeDimension != nil {
		ground = append(ground, "time ranges mean "+*a.DefaultTimeDimension)
	}
	if a.TimeZone != "" {
		ground = append(ground, "times are in "+a.TimeZone)
	}
	if a.Internal {
		ground = append(ground, "internal")
	}
	if file := a.File; file != "" {
		if a.Line > 0 {
			file = fmt.Sprintf("%s:%d", file, a.Line)
		}
		ground = append(ground, file)
	}
	if a.Version != "" {
		ground = append(ground, "version "+a.Version)
	}
	name := a.Name
	if a.Identity != "" && a.Identity != a.Name && a.Identity != a.Table {
		name += " (" + a.Identity + ")"
	}
	b.WriteString(name + ": " + strings.Join(ground, "; ") + "\n")
	if a.Broken != "" {
		b.WriteString("BROKEN: " + flat(a.Broken) + "\n")
	}
	if a.Description != nil {
		b.WriteString("-- " + flat(*a.Description) + "\n")
	}
	if a.SQL != "" {
		b.WriteString("sql\n" + a.SQL + "\n")
	}
}

// writeContext writes what people want agents to know.
func (a *SourceAnswer) writeContext(b *strings.Builder) {
	if a.AIContext == nil {
		return
	}
	if len(a.AIContext.Synonyms) > 0 {
		b.WriteString("also called: " + strings.Join(a.AIContext.Synonyms, ", ") + "\n")
	}
	if a.AIContext.Instructions != "" {
		b.WriteString("to know: " + a.AIContext.Instructions + "\n")
	}
	b.WriteString(section("examples", a.AIContext.Examples))
}

// writeFaults writes where parts are from, what is wrong, what contradicts members, and the notes.
func (a *SourceAnswer) writeFaults(b *strings.Builder) {
	var problems, conflicts []string
	for _, p := range a.Problems {
		line := string(p.Severity) + ": "
		if place := p.Place(); place != "" {
			line += place + ": "
		}
		line += flat(p.Text())
		if len(p.Candidates) > 0 {
			line += "; did you mean: " + strings.Join(p.Candidates, ", ")
		}
		problems = append(problems, line)
	}
	for i := range a.Conflicts {
		c := &a.Conflicts[i]
		conflicts = append(conflicts, fmt.Sprintf("%s said on %s: %q, against %s: %q; it waits for a person: loam review show %s",
			c.By, c.At.Format(time.DateOnly), c.Says, cmp.Or(c.Against.Target, c.Against.Path, c.Against.By), c.Against.Says, c.Change))
	}
	if a.MoreConflicts > 0 {
		conflicts = append(conflicts, fmt.Sprintf("… and %d more", a.MoreConflicts))
	}
	b.WriteString(section("problems", problems))
	b.WriteString(section("conflicts", conflicts))
	for _, n := range a.Notes {
		b.WriteString("note: " + n + "\n")
	}
}

func (d *Dimension) line() string {
	line := d.Name + " " + d.Type
	if len(d.Granularities) > 0 {
		line += " by " + d.Granularities[0] + ".." + d.Granularities[len(d.Granularities)-1]
	}
	if d.Expr != "" {
		line += " = " + flat(d.Expr)
	}
	stored := d.ColumnType
	if stored != "" {
		stored = "stored as " + stored
	}
	line = joined("; ", line, stored, d.Unit, d.Format)
	if len(d.Values) > 0 {
		line += "; one of " + strings.Join(d.Values, ", ")
	}
	return line + d.said()
}

// line has the cardinality as that of a join of entity_details.
func (j *Join) line() string {
	line := j.Name
	if j.To != "" && j.To != j.Name {
		line += " (" + j.To + ")"
	}
	if j.Reversed && j.Role != "" {
		line += " as " + j.Role
	}
	line += ": " + cmp.Or(cardinalities[model.Relationship(j.Relationship)], j.Relationship) + "; " + flat(j.On)
	if j.Inferred {
		line += "; inferred"
	}
	if j.Reversed {
		line += "; declared there"
	}
	if j.Broken != "" {
		line += "; BROKEN: " + flat(j.Broken)
	}
	if j.Description != "" {
		line += " -- " + flat(j.Description)
	}
	return line
}

var cardinalities = map[model.Relationship]string{model.ManyToOne: "n:1", model.OneToMany: "1:n", model.OneToOne: "1:1"}

// name is what stands before the name of a dimension, or how to write the way to it.
func (r *Reachable) name() string {
	name := r.Reference
	switch {
	case name == "":
		name = fmt.Sprintf(`%s (write {"field": "%s.DIMENSION", "via": ["%s"]})`, r.Source, r.Source, strings.Join(r.Via, `", "`))
	case name != r.Source && !strings.HasSuffix(name, "."+r.Source):
		name += " (" + r.Source + ")"
	}
	if r.Inferred {
		name += " (inferred)"
	}
	return name
}

// said is what follows the definition of a member.
func (d *Described) said() string {
	var line string
	if len(d.Synonyms) > 0 {
		line += "; also " + strings.Join(d.Synonyms, ", ")
	}
	if d.Internal {
		line += "; internal"
	}
	if standing := joined("; ", append([]string{string(d.Trust)}, d.Flags...)...); standing != "" {
		line += "; " + standing
	}
	if d.Learned != nil {
		line += "; " + learnedWords(d.Learned)
		if d.Learned.Change != "" {
			line += ", change " + d.Learned.Change
		}
	}
	if d.Learned != nil || d.Verified != nil {
		line += "; " + triedWords(d.Verified, time.Time{})
	}
	if d.Broken != "" {
		line += "; BROKEN: " + flat(d.Broken)
	}
	if about := joined(": ", d.Label, d.Description); about != "" {
		line += " -- " + flat(about)
	}
	return line
}

// flat is a text on one line.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// joined joins the parts that are not empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), separator)
}

// section is lines under a name, "" for none.
func section(name string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return name + "\n  " + strings.Join(lines, "\n  ") + "\n"
}
