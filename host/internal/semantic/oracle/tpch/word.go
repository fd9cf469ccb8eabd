package tpch

import "strings"

var regions = []string{"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"}

var nations = []struct {
	name   string
	region int
}{
	{"ALGERIA", 0},
	{"ARGENTINA", 1},
	{"BRAZIL", 1},
	{"CANADA", 1},
	{"EGYPT", 4},
	{"ETHIOPIA", 0},
	{"FRANCE", 3},
	{"GERMANY", 3},
	{"INDIA", 2},
	{"INDONESIA", 2},
	{"IRAN", 4},
	{"IRAQ", 4},
	{"JAPAN", 2},
	{"JORDAN", 4},
	{"KENYA", 0},
	{"MOROCCO", 0},
	{"MOZAMBIQUE", 0},
	{"PERU", 1},
	{"CHINA", 2},
	{"ROMANIA", 3},
	{"SAUDI ARABIA", 4},
	{"VIETNAM", 2},
	{"RUSSIA", 3},
	{"UNITED KINGDOM", 3},
	{"UNITED STATES", 1},
}

var (
	segments       = words("AUTOMOBILE BUILDING FURNITURE MACHINERY HOUSEHOLD")
	priorities     = []string{"1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"}
	instructions   = []string{"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}
	shipModes      = []string{"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"}
	containerSizes = words("SM LG MED JUMBO WRAP")
	containerKinds = words("CASE BOX BAG JAR PKG PACK CAN DRUM")
	typeFirst      = words("STANDARD SMALL MEDIUM LARGE ECONOMY PROMO")
	typeSecond     = words("ANODIZED BURNISHED PLATED POLISHED BRUSHED")
	typeThird      = words("TIN NICKEL BRASS STEEL COPPER")
	colours        = words("almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood chartreuse chiffon chocolate coral " +
		"cornflower cream cyan dark deep dim dodger drab firebrick floral forest frosted gainsboro ghost goldenrod green grey honeydew hot " +
		"indian ivory khaki lace lavender lawn lemon light lime linen magenta maroon medium metallic midnight mint misty moccasin navajo navy " +
		"olive orange orchid pale papaya peach peru pink plum powder puff purple red rose rosy royal saddle salmon sandy seashell sienna sky " +
		"slate smoke snow spring steel tan thistle tomato turquoise violet wheat white yellow")
	commentWords = words("accounts across along among asymptotes attainments bold boost braids busily carefully cajole courts daring deposits " +
		"dependencies dolphins doze dugouts engage epitaphs even excuses express final fluffily foxes furiously gifts grouches haggle hockey " +
		"ideas instructions integrate ironic nag packages patterns pending pinto platelets players quickly quietly realms regular ruthless " +
		"sauternes sentiments silent sleep sly theodolites thinly unusual warhorses waters")
)

func words(text string) []string { return strings.Fields(text) }

// columns reads "name type, name type(10,2)".
func columns(text string) (all []Column) {
	for _, c := range strings.Split(text, ", ") {
		name, typ, _ := strings.Cut(c, " ")
		all = append(all, Column{name, typ})
	}
	return all
}

// refers reads references: columns, then the table, a comma between two.
func refers(text string) (all []Reference) {
	for _, one := range strings.Split(text, ", ") {
		words := strings.Fields(one)
		last := len(words) - 1
		all = append(all, Reference{words[:last], words[last]})
	}
	return all
}
