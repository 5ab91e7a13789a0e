// Package schedule defines schedules: tasks that run by themselves at certain times, and the runs that they led to. The
// package contains plain data.
package schedule

import (
	"encoding/json"
	"time"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Schedule is a task with the times at which it runs.
type Schedule struct {
	ID   string `json:"id"`
	Name string `json:"name" minLength:"1" maxLength:"100"`
	Task Task   `json:"task"`
	When When   `json:"when"`
	// Missed says what happens with times at which Sextant or the computer did not run.
	Missed Missed `json:"missed"`
	// Card is what a run may use without a question. It is nil until the person signs it, and the schedule waits until
	// then. Digest identifies what the card was signed for.
	Card   *toolspec.Card `json:"card,omitempty"`
	Digest string         `json:"digest,omitempty"`
	// TokenHash is the SHA-256 of the token of its webhook in hexadecimal, "" for none.
	TokenHash string `json:"token_hash,omitempty"`
	// Paused says why the schedule does not run, "" if it does.
	Paused  string    `json:"paused,omitempty"`
	Created time.Time `json:"created"`
	// LastSlot is the newest time that was run or missed.
	LastSlot time.Time `json:"last_slot"`
}

// Task is what runs: a recipe with values, a prompt for a model, or a tool with arguments. Exactly one of Recipe,
// Prompt and Tool is set.
type Task struct {
	Recipe string            `json:"recipe,omitempty" maxLength:"40"`
	Values map[string]string `json:"values,omitempty"`
	Prompt string            `json:"prompt,omitempty" maxLength:"100000"`
	// Model is provider/name for a prompt, "" for the setting.
	Model string          `json:"model,omitempty" maxLength:"200"`
	Tool  string          `json:"tool,omitempty" maxLength:"128"`
	Args  json.RawMessage `json:"args,omitempty"`
}

// FileMark stands for the path of the new file in the values of a task that runs for each new file.
const FileMark = "{{file}}"

// When is what makes a schedule run. Exactly one of Cron, EveryMinutes, At, After, Folder and Webhook is set.
type When struct {
	// Cron has five fields: minute, hour, day of the month, month, day of the week.
	Cron         string    `json:"cron,omitempty" maxLength:"100"`
	EveryMinutes int       `json:"every_minutes,omitempty" minimum:"0" maximum:"525600"`
	At           time.Time `json:"at,omitzero"`
	// After is the id of another schedule: it runs after each of its runs that is done. With IfChanged, it runs only
	// after those with another result than the one before.
	After     string `json:"after,omitempty" maxLength:"64"`
	IfChanged bool   `json:"if_changed,omitempty"`
	// Folder is an absolute path: it runs once for each new file in that folder. Pattern is what the name of the file
	// must match, such as *.pdf, "" for any.
	Folder  string `json:"folder,omitempty" maxLength:"1000"`
	Pattern string `json:"pattern,omitempty" maxLength:"100"`
	// Webhook is true if it runs whenever a program calls its local address with its token.
	Webhook bool `json:"webhook,omitempty"`
	// Zone is the name of a time zone such as Europe/Berlin, "" for the computer's.
	Zone string `json:"zone,omitempty" maxLength:"64"`
}

// Timed reports whether it runs at times, so that some may be missed.
func (w When) Timed() bool { return w.After == "" && w.Folder == "" && !w.Webhook }

// MissedPolicy says what happens with times that were missed.
type MissedPolicy string

// The policies. MissedSkip waits for the next time, MissedOnce runs once for all of them, MissedAll once for each.
const (
	MissedSkip MissedPolicy = "skip"
	MissedOnce MissedPolicy = "once"
	MissedAll  MissedPolicy = "all"
)

// Missed is what happens with times that were missed.
type Missed struct {
	Do MissedPolicy `json:"do" enum:"skip,once,all"`
	// Limit is how many of them run at most, the newest, for MissedAll.
	Limit int `json:"limit,omitempty" minimum:"0" maximum:"100"`
	// MaxAgeMinutes is how old such a time may be, 0 for any age.
	MaxAgeMinutes int `json:"max_age_minutes,omitempty" minimum:"0" maximum:"525600"`
}

// Status says how far a run is, or how it ended.
type Status string

// The states of a run. A run is parked if it wanted something that its card does not list. StatusMissed stands for
// times at which nothing ran.
const (
	StatusQueued  Status = "queued"
	StatusRunning Status = "running"
	StatusDone    Status = "done"
	StatusFailed  Status = "failed"
	StatusStopped Status = "stopped"
	StatusParked  Status = "parked"
	StatusMissed  Status = "missed"
)

// Ended reports whether nothing more happens in a run.
func (s Status) Ended() bool { return s != StatusQueued && s != StatusRunning }

// Run is one run of a schedule, or times at which it did not run.
type Run struct {
	ID       string `json:"id"`
	Schedule string `json:"schedule"`
	// Slot is the time for which it ran, zero if a person started it. File is the new file for which it ran.
	Slot   time.Time `json:"slot,omitzero"`
	File   string    `json:"file,omitempty"`
	Status Status    `json:"status"`
	// Reason says why it did not end as done. Question is what a parked run wanted to do, as a question.
	Reason   string `json:"reason,omitempty"`
	Question string `json:"question,omitempty"`
	// Wanted is what the card of a parked run would have to list as well.
	Wanted *toolspec.Card `json:"wanted,omitempty"`
	// Digest identifies what ran.
	Digest string `json:"digest,omitempty"`
	// Text is the result in words. Result is the part of it that can be compared with that of another run; Changed is
	// true if the last run that was done had another one.
	Text         string `json:"text,omitempty"`
	Result       string `json:"result,omitempty"`
	Changed      bool   `json:"changed,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	// Watched is true if a person watched it and answered its questions.
	Watched bool `json:"watched,omitempty"`
	// Used is what it used of its card; for a watched run, what its card would have to list.
	Used toolspec.Card `json:"used"`
	// Bill is what its models cost.
	Bill    chat.Bill `json:"bill"`
	Queued  time.Time `json:"queued"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	// Count is the number of missed times, of which Slot is the first and Until the last.
	Count int       `json:"count,omitempty"`
	Until time.Time `json:"until,omitzero"`
}
