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
	toolsetResearch:  `connection_list names the connections and their SQL dialects. discover_data finds tables, columns and wiki pages for a question; entity_details, wiki_read and dictionary_search look closer: keys, what words mean, where a value is. Ask for approved metrics first: sl_read_source says what a source offers, sl_query answers with numbers that no join multiplies. Else write SQL for sql_execution. memory_ingest remembers what holds beyond this question.`,
	toolsetContext:   `get_context says what a project is about, search_schema which tables a question is about. suggest_knowledge and enhance_* propose what words, tables and joins mean.`,
	toolsetQueries:   `list_approved_queries finds reviewed queries, execute_approved_query runs one: look there first. validate and explain_query check SQL; sample shows rows.`,
	toolsetWorkspace: `checkpoint_save keeps the state of your work. After an error ask troubleshoot or remediation_search; remediation_save keeps what helped. skill_search finds ways of working, skill_apply reads one.`,
	toolsetSources:   `ingest_source_files and index_repository make files searchable.`,
	toolsetLegacy:    `get_schema and the like are other names; their descriptions name the tools to use.`,
	toolsetAdmin:     `status says what runs, scan_trigger reads a warehouse again, change_list shows what waits for a decision.`,
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
