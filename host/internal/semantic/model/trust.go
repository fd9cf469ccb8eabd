package model

// Trust is who vouches for a part of the model.
type Trust string

// The values of Trust; "" = a scan found it.
const (
	Reviewed Trust = "reviewed" // an agent's, and a person approved it
	Person   Trust = "person"
	Agent    Trust = "agent"
	Imported Trust = "imported"
)

// Shown returns the trust that answers state: "" for what a person wrote or a scan found.
func (t Trust) Shown() Trust {
	if t == Person {
		return ""
	}
	return t
}

// Trust returns the trust of a part of a layer. learned is nil where the memory did not
// write it.
func (l Layer) Trust(learned *Learned) Trust {
	switch {
	case l == PersonLayer:
		return Person
	case l == ImportedLayer:
		return Imported
	case l == MemoryLayer && learned != nil && learned.Reviewed:
		return Reviewed
	case l == MemoryLayer:
		return Agent
	}
	return ""
}

// Nearer returns the trust of a part with several layers: a person's precedes an
// importer's, and that an agent's.
func (t Trust) Nearer(other Trust) Trust {
	for _, one := range []Trust{Person, Imported, Agent} {
		if t == one || other == one {
			return one
		}
	}
	return t
}
