package host

import (
	"github.com/loam-data/loam/host/internal/cli"
	"github.com/loam-data/loam/host/internal/cli/catalog"
	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/cli/memory"
	"github.com/loam-data/loam/host/internal/cli/project"
	"github.com/loam-data/loam/host/internal/cli/query"
	"github.com/loam-data/loam/host/internal/cli/search"
	"github.com/loam-data/loam/host/internal/cli/skills"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/cli/workspace"
)

// commands returns what each group of commands needs of the project.
func (a *application) commands() *cli.Services {
	trusted := trust.Services{Project: a.project, Connectors: a.registry, Trust: a.trust}
	served := mcp.Services{
		Project: a.project, Tokens: a.tokens, Daemon: a.daemon, Server: a.newServer, Supervisor: a.supervisor, State: a.state,
		Health: a.health, Usage: a.usage, Agents: a.agents, Trust: &trusted, InMemory: a.temporary != "",
	}
	return &cli.Services{
		Catalog: catalog.Services{Project: a.project, Catalogs: a.catalogs, Dialect: a.dialect, Review: a.review, Scan: recorded{a}},
		Query: query.Services{
			Project: a.project, Catalogs: a.catalogs, Discover: a.discover, Findings: a.findings, Run: advised{a.query, a.workspace}.Run, Ask: a.ask, Semantic: a.semanticQuery, Approved: a.approved, Suggest: a.remembered,
		},
		Search: search.Services{Discover: a.discover, Assemble: a.assemble, Wiki: a.wiki, CheckWiki: a.health.CheckWiki},
		Memory: memory.NewServices(a.remembered, a.collected, a.jobs),
		Notes:  workspace.Services{Notes: a.workspace},
		Skills: skills.Services{Skills: a.skillset, Writing: a.remembered, Agents: a.agents},
		MCP:    served,
		Trust:  trusted,
		Project: project.Services{
			Project: a.project, Connectors: a.registry, Install: a.install, Supervisor: a.supervisor, Secrets: a.typedSecrets(), Test: a.test, SignIn: a.signIn,
			Catalogs: a.catalogs, Health: a.health, Trust: &trusted,
			Supply: a.supply, Scan: recorded{a}, MCP: &served,
		},
		Close: a.close,
	}
}
