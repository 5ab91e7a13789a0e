package policy

import (
	"slices"

	"sextant/shared/toolspec"
)

// secretDoubts are the doubts about secrets that the call puts in: each asks when it goes to a host
// for the first time in a conversation, and every time where outside text could be behind it.
func (f facts) secretDoubts() []doubt {
	var fresh []string
	for _, u := range f.in.Description.Secrets {
		if f.isTainted() || !slices.Contains(f.in.UsedSecrets, u) {
			fresh = append(fresh, "the secret "+u.Name+" into "+secretPlaceText(u))
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return []doubt{{reason: "It puts " + joinWords(fresh) + ".", exact: f.isTainted(), inEveryMode: true}}
}

func secretPlaceText(u toolspec.SecretUse) string {
	where := u.Origin
	if where == "" {
		where = "a page that is not known"
	}
	switch u.Place {
	case "query":
		return "the address of a request to " + where
	case "field":
		return "a field of " + where
	}
	return "the " + u.Place + " of a request to " + where
}

// secretNames are the secrets that the call puts in.
func (f facts) secretNames() []string {
	var names []string
	for _, u := range f.in.Description.Secrets {
		names = append(names, u.Name)
	}
	return sortedSet(names)
}
