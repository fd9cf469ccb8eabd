package mcpserver

import (
	"slices"
	"strings"
)

// every is what all agents are told, whatever is switched on.
const every = `Every statement is read-only; a write is refused. An error says what to change, in its hint.`

// about says what each toolset is for. An agent reads it before it has seen a tool: many
// clients load the definitions of tools only when they are needed.
var about = map[string]string{
	toolsetResearch: `connection_list names the connections and the SQL dialect of each. discover_data finds tables, columns and wiki pages for a question; entity_details, wiki_read and dictionary_search look closer: columns and keys, what words mean, where a value is. Ask for approved metrics first: sl_read_source says what a source of the semantic layer offers, sl_query answers with numbers that no join multiplies. For everything else write SQL for sql_execution. memory_ingest remembers what holds beyond this question.`,
	toolsetContext:  `get_context says what a project is about within a budget of tokens, search_schema which tables a question is about. suggest_knowledge, enhance_entity and enhance_relationship propose what words, tables and joins mean, for a person to review.`,
	toolsetQueries:  `look for a reviewed answer first: list_approved_queries finds saved queries, execute_approved_query runs one. recommend_query proposes a statement as one. validate and explain_query check SQL without running it; sample shows rows of a table; get_query_history lists what you ran.`,
	toolsetLegacy:   `get_schema, get_ontology, get_glossary and query are other names; their descriptions name the tools to use.`,
	toolsetAdmin:    `wiki_write and sl_write_source propose whole pages and sources; change_list and change_get show what waits for a decision, change_approve and change_reject decide.`,
}

// instructions are what the server tells an agent of itself: what the toolsets that are
// switched on are for, and how those that are not can be had.
func instructions(on, all []string) string {
	lines := []string{"Loam reads data warehouses. " + about[toolsetResearch] + " " + every}
	if !slices.Contains(on, toolsetResearch) {
		lines[0] = "Loam reads data warehouses. " + every
	}
	var off []string
	for _, toolset := range all {
		switch {
		case toolset == toolsetResearch && slices.Contains(on, toolset):
		case slices.Contains(on, toolset):
			lines = append(lines, "Toolset "+toolset+": "+about[toolset])
		default:
			off = append(off, toolset)
		}
	}
	if len(off) > 0 {
		lines = append(lines, "Toolsets that are switched off, until the server is started with --toolsets: "+strings.Join(off, ", ")+".")
	}
	return strings.Join(lines, "\n")
}
