package model

// Trust says whose something is.
type Trust string

// The values of Trust; "" = a scan found it.
const (
	Reviewed Trust = "reviewed" // an agent's, and a person approved it
	Person   Trust = "person"
	Agent    Trust = "agent"
	Imported Trust = "imported"
)

// Told is what hits show: "" of what a person wrote or a scan found.
func (t Trust) Told() Trust {
	if t == Person {
		return ""
	}
	return t
}

// Trust returns whose a part of a layer is. learned is nil where memory did not write it.
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

// Nearer returns the trust of what is from several layers: a person's goes before an
// importer's, and that before what an agent added.
func (t Trust) Nearer(other Trust) Trust {
	for _, one := range []Trust{Person, Imported, Agent} {
		if t == one || other == one {
			return one
		}
	}
	return t
}
