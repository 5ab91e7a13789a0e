package wire

import (
	"time"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// MetricsRange is the period that the figures cover. MetricsDay is 24 hours including the current one, MetricsWeek and
// MetricsMonth are 7 and 30 dates including today.
type MetricsRange string

// The ranges.
const (
	MetricsDay   MetricsRange = "day"
	MetricsWeek  MetricsRange = "week"
	MetricsMonth MetricsRange = "month"
	MetricsAll   MetricsRange = "all"
)

// MetricsStep is the length of a bucket.
type MetricsStep string

// The steps.
const (
	StepHour     MetricsStep = "hour"
	StepSixHours MetricsStep = "six_hours"
	StepDay      MetricsStep = "day"
	StepWeek     MetricsStep = "week"
	StepMonth    MetricsStep = "month"
)

// MetricsSpan is a range in buckets. Zone is the time zone of hours and dates.
type MetricsSpan struct {
	Range MetricsRange `json:"range"`
	Zone  string       `json:"zone"`
	From  time.Time    `json:"from"`
	To    time.Time    `json:"to"`
	Step  MetricsStep  `json:"step"`
}

// Metrics is GET /api/metrics: figures of the calls and turns that began in a range. Running calls are not counted.
type Metrics struct {
	MetricsSpan
	// Buckets cover the range without gaps, in order.
	Buckets   []MetricsBucket `json:"buckets"`
	Tools     []ToolMetrics   `json:"tools"`
	Questions QuestionMetrics `json:"questions"`
	// Turns counts the turns by their number of rounds.
	Turns  []RoundsMetrics `json:"turns"`
	Models []ModelMetrics  `json:"models"`
	// WithCalls and WithoutCalls are the turns of models that did and did not call tools.
	WithCalls    TurnTokens `json:"with_calls"`
	WithoutCalls TurnTokens `json:"without_calls"`
	// Estimated counts the tokens that were estimated from lengths.
	Estimated int64 `json:"estimated"`
}

// MetricsBucket is one step of the range. The tokens of prompts are divided into Talk, Definitions of tools and
// Results of tools by their lengths.
type MetricsBucket struct {
	Start       time.Time `json:"start"`
	Calls       int       `json:"calls"`
	Failed      int       `json:"failed"`
	Asked       int       `json:"asked"`
	Talk        int64     `json:"talk"`
	Definitions int64     `json:"definitions"`
	Results     int64     `json:"results"`
	Output      int64     `json:"output"`
}

// ToolMetrics are the figures of one tool. Tool and Origin are "" for calls of tools that do not exist.
type ToolMetrics struct {
	Tool   string          `json:"tool"`
	Origin toolspec.Origin `json:"origin"`
	Calls  int             `json:"calls"`
	// Failed, Refused (by the policy), Declined (by a person) and Stopped (also by the end of Sextant) are
	// parts of Calls; the others succeeded.
	Failed   int `json:"failed"`
	Refused  int `json:"refused"`
	Declined int `json:"declined"`
	Stopped  int `json:"stopped"`
	// Asked counts the calls that a person was asked about.
	Asked int `json:"asked"`
	// Ran counts the calls that ended by themselves. P50MS and P95MS are percentiles of their durations, by
	// nearest rank.
	Ran   int   `json:"ran"`
	P50MS int64 `json:"p50_ms"`
	P95MS int64 `json:"p95_ms"`
	// Tokens estimates what its answers cost a model that reads each once.
	Tokens int64 `json:"tokens"`
	// Errors are its failures by type, the most frequent first.
	Errors []ErrorCount `json:"errors"`
}

// ErrorCount counts the failures of one type.
type ErrorCount struct {
	Type  toolspec.ErrorType `json:"type"`
	Calls int                `json:"calls"`
}

// QuestionMetrics are the questions to a person. P50MS is the median waiting time of the answered ones.
type QuestionMetrics struct {
	Asked   int   `json:"asked"`
	Allowed int   `json:"allowed"`
	Denied  int   `json:"denied"`
	Lapsed  int   `json:"lapsed"`
	P50MS   int64 `json:"p50_ms"`
}

// RoundsMetrics counts the turns of models and of the command pilot that took Rounds rounds.
type RoundsMetrics struct {
	Rounds int `json:"rounds"`
	Models int `json:"models"`
	Pilot  int `json:"pilot"`
}

// ModelMetrics are the figures of one model: of the turns that chose it, and of all requests that it was sent.
type ModelMetrics struct {
	Model  string `json:"model"`
	Turns  int    `json:"turns"`
	Rounds int    `json:"rounds"`
	// Requests counts all requests. Failed of them brought no complete answer, Retries followed a failed one.
	Requests int `json:"requests"`
	Failed   int `json:"failed"`
	Retries  int `json:"retries"`
	// Cached is the part of Input that was read from a cache, Written the part that was added to it.
	// Definitions of tools and Results of tools are parts of Input, too; the rest are messages.
	Input       int64 `json:"input"`
	Cached      int64 `json:"cached"`
	Written     int64 `json:"written"`
	Output      int64 `json:"output"`
	Definitions int64 `json:"definitions"`
	Results     int64 `json:"results"`
	// Cost has one amount for each currency. Unpriced are the tokens without a known price.
	Cost     []chat.Money `json:"cost"`
	Unpriced int64        `json:"unpriced"`
	// FirstP50MS and FirstP95MS are percentiles of the time to the first piece of an answer, by nearest rank; 0
	// when none came.
	FirstP50MS int64 `json:"first_p50_ms"`
	FirstP95MS int64 `json:"first_p95_ms"`
}

// TurnTokens counts turns and all their tokens.
type TurnTokens struct {
	Turns  int   `json:"turns"`
	Tokens int64 `json:"tokens"`
}

// ToolHistory is GET /api/metrics/tool: one tool's durations over time and its newest failures.
type ToolHistory struct {
	MetricsSpan
	Buckets  []ToolBucket `json:"buckets"`
	Failures []CallRow    `json:"failures"`
}

// ToolBucket is one step of a tool's history. P50MS and P95MS are 0 when Ran is.
type ToolBucket struct {
	Start  time.Time `json:"start"`
	Ran    int       `json:"ran"`
	Failed int       `json:"failed"`
	P50MS  int64     `json:"p50_ms"`
	P95MS  int64     `json:"p95_ms"`
}
