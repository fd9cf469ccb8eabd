package host

import (
	"time"

	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/host/internal/skillset"
)

// newSkills makes the skills of the project, whose memory exists. Nothing is read before it is used.
func (a *application) newSkills(folder string) *skillset.Service {
	return skillset.New(skillset.Config{
		Skills:  skill.NewLibrary(project.SkillsPath(folder)),
		State:   a.state.Get,
		Began:   func() bool { return exists(a.state.Path()) },
		Waiting: a.remembered.WaitingSkill, WaitingCount: a.remembered.WaitingSkills, Versions: a.remembered.SkillVersions, Keep: a.remembered.KeepSkill,
		Now: time.Now,
	})
}

// serveSkills gives a server the skills of the project.
func (a *application) serveSkills(c *mcpserver.Config) {
	c.Skills, c.SkillServing, c.SkillWriting = a.skillset, a.skillset, a.remembered
}
