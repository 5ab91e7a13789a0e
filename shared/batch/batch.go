// Package batch defines batches: runs of one recipe, one for each row of a table. The package contains plain data.
package batch

import (
	"time"

	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// Batch is a recipe that runs once for each row of a table.
type Batch struct {
	ID     string `json:"id"`
	Name   string `json:"name" minLength:"1" maxLength:"200"`
	Recipe string `json:"recipe" maxLength:"40"`
	// Definition is the recipe itself, for workers that do not have it. It is nil in a batch of this computer.
	Definition *recipe.Recipe `json:"definition,omitempty"`
	// Columns are the headers of the table. Parameters maps parameters of the recipe to indexes of columns. Values are
	// those of other parameters, the same in each row.
	Columns    []string          `json:"columns"`
	Parameters map[string]int    `json:"parameters"`
	Values     map[string]string `json:"values,omitempty"`
	// Outputs are the names of what the recipe returns.
	Outputs []string `json:"outputs,omitempty"`
	// Browsers is how many rows run at once, each in a Chromium of its own. PerHost limits how many of them work on one
	// host, 0 for no limit.
	Browsers int `json:"browsers" minimum:"1" maximum:"32"`
	PerHost  int `json:"per_host,omitempty" minimum:"0" maximum:"32"`
	// Needs is what its rows need. Card is what the person allowed each of them, nil until then. Digest identifies the
	// recipe that Needs was made for.
	Needs  toolspec.Card  `json:"needs"`
	Card   *toolspec.Card `json:"card,omitempty"`
	Digest string         `json:"digest"`
	State  State          `json:"state" enum:"unsigned,running,stopped,done"`
	// Reason says why it stopped.
	Reason  string    `json:"reason,omitempty"`
	Created time.Time `json:"created"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
}

// State says how far a batch is.
type State string

// The states of a batch. One that was ended by a stop, a change of its recipe or many failures is stopped, and can go
// on. One is done when no row waits.
const (
	StateUnsigned State = "unsigned"
	StateRunning  State = "running"
	StateStopped  State = "stopped"
	StateDone     State = "done"
)

// Status says how far a row is, or how its run ended.
type Status string

// The states of a row. A run is parked if it wanted something that the card does not list. Its outcome is unknown if it
// ended early at a step that may have been done.
const (
	StatusQueued  Status = "queued"
	StatusRunning Status = "running"
	StatusDone    Status = "done"
	StatusFailed  Status = "failed"
	StatusParked  Status = "parked"
	StatusUnknown Status = "unknown"
)

// Row is one row of the table of a batch.
type Row struct {
	// Number counts from 1.
	Number int      `json:"number"`
	Cells  []string `json:"cells"`
	// Hosts are those that its run contacts first.
	Hosts  []string `json:"hosts,omitempty"`
	Status Status   `json:"status" enum:"queued,running,done,failed,parked,unknown"`
	// Reason says why it did not end as done, and Step is the number of the step at which it ended.
	Reason string `json:"reason,omitempty"`
	Step   int    `json:"step,omitempty"`
	// Wanted is what the card would have to list as well, for a row that was parked.
	Wanted *toolspec.Card `json:"wanted,omitempty"`
	// Acted is true once its newest run may have changed something.
	Acted bool `json:"acted,omitempty"`
	// Tries counts its runs.
	Tries int `json:"tries,omitempty"`
	// Claim identifies the claim with which a worker of a shared queue holds the row.
	Claim string `json:"-"`
	// Results are what the recipe returned, by name, as text.
	Results map[string]string `json:"results,omitempty"`
	Started time.Time         `json:"started,omitzero"`
	Ended   time.Time         `json:"ended,omitzero"`
}

// Counts is how many rows of a batch have each status.
type Counts map[Status]int
